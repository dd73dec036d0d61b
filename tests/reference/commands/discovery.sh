# What the server says it has: api-resources, api-versions, version, cluster-info.

kubectl api-resources
kubectl api-resources -o wide
kubectl api-resources -o name
kubectl api-resources --sort-by=kind
kubectl api-resources --sort-by=name --no-headers
kubectl api-resources --namespaced=false
kubectl api-resources --namespaced
kubectl api-resources --verbs=list,deletecollection -o name
kubectl api-resources --verbs=create --api-group=authorization.k8s.io
kubectl api-resources --api-group=apps
kubectl api-resources --api-group=
kubectl api-resources --api-group=none
kubectl api-resources --categories=all
kubectl api-resources --categories=api-extensions
kubectl api-resources --cached --api-group=batch
kubectl api-resources --user=nobody --api-group=batch
kubectl api-versions
kubectl api-versions --user=nobody
kubectl version --output=json | grep -v 'itVersion\|uildDate\|gitCommit\|goVersion\|ompiler\|latform\|gitTreeState'
kubectl version --client=false | head -3
kubectl cluster-info
kubectl cluster-info dump --namespaces=discovery --output-directory=dump
ls dump dump/discovery; cat dump/discovery/pods.json dump/nodes.json
kubectl cluster-info dump --namespaces=discovery -o yaml | head -40
kubectl get --raw /api | sed 's/[0-9.]*:[0-9]*"}/address"}/'
kubectl get --raw /apis | head -c 300
kubectl get --raw /healthz
kubectl get --raw '/readyz?verbose' | sort
kubectl get --raw '/livez?verbose' | sort
kubectl get --raw '/healthz?verbose' | sort
kubectl get --raw /livez/ping
kubectl get --raw /livez/nothing
kubectl get --raw '/readyz?exclude=ping' 
kubectl get --raw /version | grep -v 'uildDate\|gitCommit\|goVersion\|platform'
kubectl get --raw /nothing
kubectl get --raw /apis/none.example.com
kubectl get --raw /apis/apps/v9
kubectl get --raw /openapi/v3 | tr ',' '\n' | sed 's/hash=[0-9A-F]*/hash=x/' | sort
kubectl get --raw /openapi/v3/apis/none
kubectl get --raw /.well-known/openid-configuration | sed 's/127.0.0.1:[0-9]*/address/;s/[0-9.]*:[0-9]*.openid/address\/openid/'
kubectl get --raw / | head -40
kubectl get --raw /logs
kubectl get --raw /metrics | grep -c '^apiserver_request_total' | sed 's/[0-9][0-9]*/some/'
kubectl get --raw /metrics/slis | head -2
kubectl options | head -3
kubectl completion bash | head -2
kubectl __complete get cm '' 2>&1
kubectl __complete get deploymen 2>&1
kubectl __complete -n def 2>&1
kubectl __complete get po -n kube 2>&1
kubectl config view -o jsonpath='{.contexts[0].context.namespace}'
kubectl config current-context
