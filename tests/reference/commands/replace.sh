# kubectl diff and replace.

kubectl create cm c --from-literal=a=1 -o yaml > c.yaml
kubectl diff -f c.yaml; echo $?
sed 's/a: "1"/a: "2"/' c.yaml > c2.yaml; kubectl diff -f c2.yaml
kubectl diff -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}'
kubectl diff -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"Bad Name"}}'
kubectl diff -f - <<< '{"apiVersion":"v1","kind":"Nothing","metadata":{"name":"x"}}'
kubectl diff --server-side -f c2.yaml
kubectl diff --server-side --force-conflicts --field-manager=me -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"5"}}'
kubectl diff --server-side --field-manager=me -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"5"}}'
kubectl apply -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"l","labels":{"set":"x"}}}'; kubectl diff --prune -l set=x -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","labels":{"set":"x"}}}'
kubectl create secret generic s --from-literal=p=one -o yaml > s.yaml; sed 's/p: .*/p: dHdv/' s.yaml | kubectl diff -f -
KUBECTL_EXTERNAL_DIFF="diff -u0" kubectl diff -f c2.yaml
kubectl diff --show-managed-fields -f c2.yaml
kubectl diff -f nothing.yaml
kubectl replace -f c2.yaml
kubectl replace -f c2.yaml
sed '/resourceVersion/d;/uid/d' c2.yaml > c3.yaml; kubectl replace -f c3.yaml
kubectl replace -f c3.yaml -o yaml
kubectl replace -f c3.yaml --dry-run=server
kubectl replace -f c3.yaml --dry-run=client
sed 's/a: "2"/a: "3"/' c3.yaml | kubectl replace --dry-run=server -o yaml -f -
kubectl replace -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"nothing"}}'
kubectl replace -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"11111111-1111-4111-8111-111111111111"}}'
kubectl replace -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","resourceVersion":"x"}}'
kubectl replace -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","labels":{"bad label":"x"}}}'
kubectl replace --force -f c3.yaml
kubectl replace --force -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"fresh"}}'
kubectl replace --force --grace-period=0 -f c3.yaml
kubectl replace --force --cascade=orphan -f c3.yaml
kubectl replace --save-config -f c3.yaml -o yaml
kubectl replace --subresource=status -f c3.yaml
kubectl run p --image=nginx -o yaml > p.yaml; sed 's/image: nginx/image: nginx:2/' p.yaml | kubectl replace -f -
kubectl get pod p -o yaml | sed 's/restartPolicy: Always/restartPolicy: Never/' | kubectl replace -f -
kubectl get pod p -o yaml | sed 's/restartPolicy: Always/restartPolicy: Never/' | kubectl replace --force -f -
kubectl create svc clusterip s --tcp=80 -o yaml > svc.yaml; sed '/clusterIP/d;/10.0.0/d;/resourceVersion/d' svc.yaml | kubectl replace -f -
sed 's/clusterIP: .*/clusterIP: 10.0.0.99/;/resourceVersion/d' svc.yaml | kubectl replace -f -
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"fixed"},"immutable":true,"data":{"a":"1"}}'; kubectl replace -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"fixed"},"immutable":true,"data":{"a":"2"}}'
kubectl get cm c -o yaml --show-managed-fields
