# kubectl apply --server-side: owners, conflicts, and the way from one kind of apply to the other.

cat > cm.yaml <<END
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {a: "1", b: "2"}
END
kubectl apply --server-side -f cm.yaml
kubectl apply --server-side -f cm.yaml
kubectl apply --server-side -f cm.yaml -o yaml --show-managed-fields
sed 's/"2"/"3"/' cm.yaml | kubectl apply --server-side --field-manager=two -f -
sed 's/"2"/"3"/;s/"1"/"2"/' cm.yaml | kubectl apply --server-side --field-manager=two -f -
sed 's/"2"/"3"/' cm.yaml | kubectl apply --server-side --field-manager=two --force-conflicts -f -
kubectl get cm c -o yaml --show-managed-fields
kubectl apply --server-side -f cm.yaml
kubectl apply --server-side --dry-run=server -f cm.yaml --force-conflicts
kubectl apply --server-side --dry-run=client -f cm.yaml
kubectl apply --server-side --dry-run=server -o json -f cm.yaml --force-conflicts
sed 's/, b: "2"//' cm.yaml | kubectl apply --server-side --field-manager=two -f -
sed 's/, b: "2"//' cm.yaml | kubectl apply --server-side -f -
kubectl get cm c -o jsonpath='{.data}{"\n"}'
kubectl apply --force-conflicts -f cm.yaml
kubectl apply --server-side --force -f cm.yaml
kubectl apply --server-side --field-manager="$(printf 'x%.0s' {1..129})" -f cm.yaml
kubectl patch cm c --type=merge -p '{"data":{"a":"patched"}}'
kubectl apply --server-side -f cm.yaml
kubectl label cm c x=y --field-manager=labels
kubectl apply --server-side -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","labels":{"x":"z"}}}'
# From client-side apply to server-side, and back.
sed 's/name: c/name: moved/' cm.yaml > moved.yaml; kubectl apply -f moved.yaml
kubectl apply --server-side -f moved.yaml
kubectl get cm moved -o yaml --show-managed-fields
sed 's/, b: "2"//' moved.yaml | kubectl apply --server-side -f -
kubectl get cm moved -o jsonpath='{.data}{"\n"}'
kubectl apply -f moved.yaml
kubectl get cm moved -o yaml --show-managed-fields
kubectl apply --server-side --field-manager=other -f moved.yaml
sed 's/"2"/"5"/' moved.yaml | kubectl apply --server-side --field-manager=other -f -
# Lists by key, and a status.
cat > deploy.yaml <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, ports: [{containerPort: 80}], env: [{name: A, value: b}]}]}
END
kubectl apply --server-side -f deploy.yaml
kubectl scale deploy web --replicas=5
kubectl apply --server-side -f deploy.yaml
grep -v replicas deploy.yaml | kubectl apply --server-side -f -
kubectl get deploy web -o yaml --show-managed-fields
kubectl set image deploy/web web=nginx:2 --field-manager=images
grep -v replicas deploy.yaml | kubectl apply --server-side -f -
sed 's/"A", value: b/x/;s/name: A/name: B/;s/80/81/' deploy.yaml | kubectl apply --server-side --force-conflicts -f -
kubectl get deploy web -o jsonpath='{.spec.template.spec.containers[0]}{"\n"}'
sleep 1; kubectl apply --server-side --field-manager=ctl --subresource=status -f - <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
status: {replicas: 4, conditions: [{type: Available, status: "True", reason: R, message: m}]}
END
kubectl get deploy web -o wide
kubectl get deploy web --subresource=status -o yaml --show-managed-fields
sed 's/containerPort: 80/containerPort: eighty/' deploy.yaml | kubectl apply --server-side -f -
sed 's/replicas/replicaz/' deploy.yaml | kubectl apply --server-side -f -
sed 's/replicas/replicaz/' deploy.yaml | kubectl apply --server-side --validate=warn -f -
sed 's/replicas/replicaz/' deploy.yaml | kubectl apply --server-side --validate=ignore -f -
sed 's/{name: A, value: b}/{name: A, value: b}, {name: A, value: c}/' deploy.yaml | kubectl apply --server-side -f -
kubectl apply --server-side -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","managedFields":[]}}'
kubectl apply --server-side -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","resourceVersion":"1"}}'
kubectl apply --server-side -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"11111111-1111-4111-8111-111111111111"}}'
kubectl apply --server-side -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"c-"}}'
kubectl apply --server-side -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":1}}'
kubectl apply --server-side -n nowhere -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}'
kubectl apply --server-side -f - <<< '{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80},{"port":80,"protocol":"UDP","name":"u"}]}}'
kubectl apply --server-side --field-manager=b -f - <<< '{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80,"name":"t"}],"type":"NodePort"}}'
kubectl apply --server-side --field-manager=b --force-conflicts -f - <<< '{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[{"port":80,"name":"t"}],"type":"LoadBalancer"}}'
kubectl get svc s -o yaml --show-managed-fields
KUBECTL_APPLYSET=true kubectl apply --server-side -f moved.yaml --prune --applyset=set --force-conflicts
kubectl get cm moved -o jsonpath='{.metadata.labels}{"\n"}' | sed 's/applyset-[^"]*/applyset-/'
