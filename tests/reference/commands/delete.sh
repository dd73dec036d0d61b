# kubectl delete, and what goes with the deleted.

for n in 1 2 3 4 5 6 7; do kubectl create cm c$n --from-literal=a=$n; kubectl label cm c$n set=$((n % 2)); done
kubectl delete cm c1
kubectl delete cm c1
kubectl delete cm c1 --ignore-not-found
kubectl delete cm/c2 cm/nothing
kubectl delete cm c3 --dry-run=server
kubectl delete cm c3 --dry-run=client
kubectl delete cm c3 -o name
kubectl delete cm -l set=0
kubectl delete cm -l set=none
kubectl delete cm --field-selector metadata.name=c5
kubectl delete cm --field-selector data.a=5
kubectl delete cm
kubectl delete cm --all --dry-run=server
kubectl delete cm --all --wait=false
kubectl delete cm --all x
kubectl get cm
kubectl create cm one; kubectl create secret generic two; kubectl delete cm/one secret/two
kubectl create cm one -o yaml > one.yaml; kubectl delete -f one.yaml
kubectl delete -f one.yaml
kubectl delete -f one.yaml --ignore-not-found
kubectl create cm one; kubectl delete cm one -i <<< n
kubectl delete cm one -i <<< y
kubectl delete nothings x
kubectl delete cm one -n nowhere
# Pods: grace, now, force.
kubectl run p1 --image=nginx; kubectl delete pod p1 --grace-period=5 --wait=false
kubectl run p2 --image=nginx; kubectl delete pod p2 --now
kubectl run p3 --image=nginx; kubectl delete pod p3 --force
kubectl run p4 --image=nginx; kubectl delete pod p4 --force --grace-period=0
kubectl run p5 --image=nginx; kubectl delete pod p5 --grace-period=0
kubectl run p6 --image=nginx; kubectl delete pod p6 --force --grace-period=5
kubectl run p7 --image=nginx --overrides='{"spec":{"nodeName":"n1"}}'; kubectl delete pod p7 --wait=false
kubectl get pod p7
kubectl get pod p7 -o jsonpath='{.metadata.deletionGracePeriodSeconds}{"\n"}'
kubectl delete pod p7 --grace-period=10 --wait=false; kubectl get pod p7 -o jsonpath='{.metadata.deletionGracePeriodSeconds}{"\n"}'
kubectl delete pod p7 --timeout=1s
kubectl delete pod p7 --now --timeout=1s; kubectl get pod p7 -o jsonpath='{.metadata.deletionGracePeriodSeconds}{"\n"}'
kubectl delete pod p7 --force
kubectl get pods
# Cascades.
cat > own.sh <<'END'
uid=$(kubectl create cm $1 -o jsonpath='{.metadata.uid}')
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"of-'$1'","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"'$1'","uid":"'$uid'","blockOwnerDeletion":true}]}}'
END
sleep 1; bash own.sh back; sleep 1; kubectl delete cm back; kubectl wait --for=delete cm/of-back --timeout=20s
bash own.sh fore; sleep 1; kubectl delete cm fore --cascade=foreground; kubectl get cm fore of-fore
bash own.sh orph; sleep 1; kubectl delete cm orph --cascade=orphan; kubectl get cm of-orph -o yaml
bash own.sh old; kubectl delete cm old --cascade=false; kubectl wait --for=jsonpath='{.metadata.ownerReferences}'=x cm/of-old --timeout=1s
bash own.sh truly; kubectl delete cm truly --cascade=true; kubectl wait --for=delete cm/of-truly --timeout=20s
kubectl delete cm of-orph --cascade=sideways
# Finalizers.
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","finalizers":["example.com/hold"]}}'
kubectl delete cm held --timeout=1s
kubectl get cm held -o yaml
kubectl patch cm held --type=merge -p '{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}'
kubectl patch cm held --type=merge -p '{"data":{"a":"b"}}'
kubectl delete cm held --wait=false
(sleep 1; kubectl patch cm held --type=merge -p '{"metadata":{"finalizers":null}}' > /dev/null) & kubectl delete cm held; wait
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bad","finalizers":["nothing"]}}'
# Namespaces.
kubectl create ns delete-full; kubectl create cm a -n delete-full; kubectl create deploy d --image=x -n delete-full; kubectl delete ns delete-full
kubectl get ns delete-full
kubectl create ns delete-held; kubectl create -n delete-held -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"held","finalizers":["example.com/hold"]}}'; kubectl delete ns delete-held --timeout=3s
kubectl get ns delete-held
kubectl create cm late -n delete-held
kubectl wait ns delete-held --for=condition=NamespaceFinalizersRemaining --timeout=20s
kubectl get ns delete-held -o jsonpath='{range .status.conditions[*]}{.type} {.status} {.reason} {.message}{"\n"}{end}'
kubectl describe ns delete-held
kubectl patch cm held -n delete-held --type=merge -p '{"metadata":{"finalizers":null}}'; kubectl wait --for=delete ns/delete-held --timeout=20s > /dev/null
kubectl delete ns default
kubectl delete ns kube-system
kubectl delete ns nothing
kubectl create deploy a --image=x; kubectl create svc clusterip b --tcp=80; kubectl delete all --all
kubectl delete deploy,svc --all
