# Paths as they are, verbosity, and the proxy.

kubectl get --raw /api/v1/namespaces/raw/configmaps
kubectl create --raw /api/v1/namespaces/raw/configmaps -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r"},"data":{"a":"1"}}'
kubectl create --raw /api/v1/namespaces/raw/configmaps -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r"}}'
kubectl create --raw /api/v1/namespaces/raw/configmaps -f - <<< '{'
kubectl create --raw /api/v1/namespaces/raw/configmaps -f - <<< '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"r"}}'
kubectl create --raw /api/v1/namespaces/raw/configmaps -f - <<< 'kind: ConfigMap'
kubectl replace --raw /api/v1/namespaces/raw/configmaps/r -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r"},"data":{"a":"2"}}'
kubectl replace --raw /api/v1/namespaces/raw/configmaps/none -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"r"},"data":{"a":"2"}}'
kubectl get --raw /api/v1/namespaces/raw/configmaps/r
kubectl get --raw '/api/v1/namespaces/raw/configmaps/r?pretty=true'
kubectl get --raw '/api/v1/namespaces/raw/configmaps?fieldSelector=metadata.name%3Dr&limit=5'
kubectl get --raw '/api/v1/namespaces/raw/configmaps?limit=x'
kubectl get --raw '/api/v1/namespaces/raw/configmaps?resourceVersion=x'
kubectl get --raw '/api/v1/namespaces/raw/configmaps?resourceVersion=1&resourceVersionMatch=Exact'
kubectl get --raw '/api/v1/namespaces/raw/configmaps?watch=1&timeoutSeconds=1'
kubectl get --raw '/api/v1/namespaces/raw/configmaps?continue=x'
kubectl get --raw '/api/v1/namespaces/raw/nothings'
kubectl get --raw '/api/v1/namespaces/raw/configmaps/r/status'
kubectl get --raw '/apis/apps/v1/namespaces/raw/deployments/none/scale'
kubectl get --raw /api/v1/watch/namespaces/raw/configmaps/r?timeoutSeconds=1
kubectl delete --raw /api/v1/namespaces/raw/configmaps/r
kubectl delete --raw /api/v1/namespaces/raw/configmaps/r
kubectl get --raw /api/v1/namespaces/none
kubectl create --raw /api/v1/namespaces/raw/pods/none/eviction -f - <<< '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"none"}}'
kubectl create --raw /apis/authorization.k8s.io/v1/selfsubjectaccessreviews -f - <<< '{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}'
kubectl create cm v --from-literal=a=1
kubectl get cm v -v=6
kubectl get cm v -v=10
kubectl get cm -v=10
kubectl create cm v2 -v=10
kubectl get cm none -v=10
kubectl delete cm v2 -v=10 --wait=false
kubectl patch cm v --type=merge -p '{"data":{"a":"2"}}' -v=10
kubectl apply --server-side -f - -v=7 <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"v"},"data":{"b":"2"}}'
kubectl get cm v -v=9 --user=bob
kubectl get ns -v=7 --as=bob
kubectl proxy --port=0 > proxy.log & sleep 1; port=$(sed 's/.*://' proxy.log); curl -s localhost:$port/api/v1/namespaces/raw/configmaps/v | head -5; curl -s -o /dev/null -w '%{http_code} %{content_type}\n' localhost:$port/api/v1/namespaces/raw/configmaps/none; curl -s -X POST localhost:$port/api/v1/namespaces/raw/pods/none/exec; curl -s localhost:$port/api/v1/namespaces/raw/services/none/proxy/x; kill %1
kubectl proxy --port=0 --reject-paths='^/api/v1' > proxy.log & sleep 1; port=$(sed 's/.*://' proxy.log); curl -s localhost:$port/api/v1/namespaces; curl -s localhost:$port/apis/apps/v1 | head -3; kill %1
