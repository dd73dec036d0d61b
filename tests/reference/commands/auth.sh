# kubectl auth.

kubectl auth can-i create pods
kubectl auth can-i create pods --as=bob
kubectl auth can-i '*' '*'
kubectl auth can-i get pods/log --as=alice
kubectl auth can-i get pods --subresource=log --as=alice
kubectl auth can-i get /healthz --as=bob
kubectl auth can-i get /secret --as=bob
kubectl auth can-i get nothings
kubectl auth can-i fly pods
kubectl auth can-i get nodes
kubectl auth can-i get nodes -A
kubectl auth can-i list deployments.apps --as=alice -q; echo $?
kubectl auth can-i create pods --no-headers --as=system:serviceaccount:auth:sa
kubectl auth can-i
kubectl auth can-i get pods x y
kubectl create role r --verb=get,list --resource=pods,configmaps; kubectl create rolebinding rb --role=r --user=bob
kubectl auth can-i get pods --as=bob
kubectl auth can-i get pods/x --as=bob
kubectl auth can-i get pods --as=bob -n default
kubectl auth can-i get pods --as=bob -A
kubectl auth can-i --list --as=bob | sort
kubectl auth can-i --list --user=bob | sort
kubectl auth can-i --list | sort
kubectl auth can-i --list --as=bob -n default --no-headers | sort
kubectl get pods --user=bob
kubectl get secrets --user=bob
kubectl create cm x --user=bob
kubectl delete pod x --user=bob
kubectl create deploy d --image=x --user=bob
kubectl get pods -A --user=bob
kubectl get nodes --user=bob
kubectl create ns x --user=bob
kubectl get pods --as=alice --user=bob
kubectl get --raw /metrics --user=bob
kubectl auth whoami
kubectl auth whoami -o yaml
kubectl auth whoami -o json --user=alice
kubectl auth whoami --as=someone --as-group=g --as-uid=u
kubectl auth whoami --user=nobody
kubectl create sa sa; kubectl auth whoami --user=nobody --token="$(kubectl create token sa)"
kubectl auth whoami --as=system:serviceaccount:auth:sa
kubectl get pods --user=nobody
kubectl get pods --user=nobody --token=wrong
kubectl get pods --user=nobody --token="$(kubectl create token sa)"
cat > rbac.yaml <<END
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, watch]}, {apiGroups: [""], resources: [secrets], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: rb}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: carol}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: auth-new}
rules: [{nonResourceURLs: ["/x"], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: auth-new}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: auth-new}
subjects: [{kind: ServiceAccount, name: sa, namespace: auth}]
END
kubectl auth reconcile -f rbac.yaml --dry-run=server
kubectl auth reconcile -f rbac.yaml --dry-run=client
kubectl auth reconcile -f rbac.yaml
kubectl auth reconcile -f rbac.yaml
kubectl get role r -o yaml
kubectl auth reconcile -f rbac.yaml --remove-extra-subjects --remove-extra-permissions -o yaml
sed 's/name: r}$/name: q}/' rbac.yaml | kubectl auth reconcile -f -
kubectl auth reconcile -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}'
kubectl describe role r
kubectl describe rolebinding rb
kubectl describe clusterrole auth-new view
kubectl describe clusterrolebinding auth-new cluster-admin
# Nobody gives what they do not have.
kubectl create clusterrole auth-giver --verb='create,get,update,patch' --resource=roles,rolebindings,clusterroles; kubectl create rolebinding giver --clusterrole=auth-giver --user=bob
kubectl create role more --verb=get --resource=secrets --user=bob
kubectl create role same --verb=get --resource=pods --user=bob
kubectl create rolebinding more --clusterrole=cluster-admin --user=bob --as=bob
kubectl create rolebinding same --role=same --user=bob --as=bob
kubectl auth reconcile -f rbac.yaml --user=bob
kubectl patch rolebinding rb --type=merge -p '{"roleRef":{"name":"other"}}'
kubectl delete clusterrole auth-new auth-giver; kubectl delete clusterrolebinding auth-new
# Certificates.
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout csr.key -out csr.pem -subj /O=dev/CN=dave 2>/dev/null
for n in 1 2; do kubectl create -f - <<< '{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"auth-'$n'"},"spec":{"request":"'$(base64 -w0 csr.pem)'","signerName":"kubernetes.io/kube-apiserver-client","usages":["client auth"],"expirationSeconds":3600}}'; done
kubectl get csr
kubectl certificate approve auth-1
kubectl certificate approve auth-1
kubectl certificate deny auth-1
kubectl certificate deny auth-1 --force
kubectl certificate deny auth-2
kubectl certificate approve nothing
kubectl certificate approve auth-2 --force -o yaml | sed 's/request: .*/request: x/'
kubectl get csr
kubectl describe csr auth-1 auth-2
kubectl create -f - <<< '{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"auth-3"},"spec":{"request":"eA==","signerName":"x","usages":["client auth"]}}'
kubectl certificate approve auth-1 --user=bob
kubectl delete csr auth-1 auth-2
