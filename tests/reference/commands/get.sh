# kubectl get in every form.

kubectl create cm a --from-literal=k=2; kubectl create cm b --from-literal=k=1; kubectl create cm d; kubectl label cm a b set=x; kubectl create secret generic s --from-literal=p=w; kubectl create deploy web --image=nginx; kubectl create svc clusterip web --tcp=80
kubectl get cm
kubectl get cm -o wide
kubectl get cm a -o yaml
kubectl get cm a -o json
kubectl get cm a -o yaml --show-managed-fields
kubectl get cm -o name
kubectl get cm -o json
kubectl get cm -o yaml
kubectl get cm a b -o yaml
kubectl get cm a -o jsonpath='{.data.k}'
kubectl get cm -o jsonpath='{range .items[*]}{.metadata.name}={.data}{"\n"}{end}'
kubectl get cm -o jsonpath='{.items[?(@.data.k=="1")].metadata.name}'
kubectl get cm -o jsonpath='{.nothing}'
kubectl get cm -o jsonpath='{.items['
kubectl get cm a -o jsonpath-as-json='{.metadata.labels}'
kubectl get cm a --allow-missing-template-keys=false -o jsonpath='{.nothing}'
kubectl get cm -o custom-columns=NAME:.metadata.name,K:.data.k,NONE:.x.y
kubectl get cm -o custom-columns=NAME:.metadata.name --no-headers
kubectl get cm -o go-template='{{range .items}}{{.metadata.name}} {{end}}'
kubectl get cm a -o go-template='{{.data.k}}'
kubectl get cm a -o template
kubectl get cm a -o nonsense
kubectl get cm -o kyaml
kubectl get cm --no-headers
kubectl get cm --show-labels
kubectl get cm --show-kind
kubectl get cm -L set
kubectl get cm --label-columns=set,none -o wide
kubectl get cm --sort-by=.data.k
kubectl get cm --sort-by='{.metadata.name}' -o name
kubectl get cm --sort-by=.metadata.creationTimestamp -o name
kubectl get cm --sort-by=.nothing
kubectl get cm --chunk-size=1
kubectl get cm --chunk-size=2 -o json | grep -c '"name"'
kubectl get cm -l set=x
kubectl get cm -l 'set in (x,y)' -o name
kubectl get cm -l set=none
kubectl get cm -l '!set' -o name
kubectl get cm --field-selector metadata.name=a
kubectl get cm --field-selector metadata.name!=a -o name
kubectl get cm --field-selector data.k=1
kubectl get cm --field-selector 'x'
kubectl get pods --field-selector status.phase=Running,spec.nodeName=
kubectl get pods --field-selector spec.restartPolicy!=Always
kubectl get pods --field-selector spec.image=x
kubectl get secrets --field-selector type=Opaque
kubectl get events --field-selector involvedObject.kind=Pod,reason!=x
kubectl get cm a nothing
kubectl get cm nothing --ignore-not-found
kubectl get cm,secret,deploy
kubectl get cm/a secret/s deploy/web
kubectl get cm/a secret/s -o name
kubectl get deploy/web svc/web -o wide
kubectl get all
kubectl get all --show-labels
kubectl get po,no,ns,sa,sc,pv,pvc,rc,rs,sts,ds,deploy,cj,job,hpa,ing,netpol,pdb,quota,limits,ev,ep,csr,crd,pc -o name | grep -v '^serviceaccount' | sort
kubectl get deployments.apps
kubectl get deployments.v1.apps web -o yaml
kubectl get deployment.v1beta1.apps
kubectl get nothings
kubectl get nothings.example.com
kubectl get
kubectl get cm -A --field-selector metadata.name=a
kubectl get cm -A -l set=x --no-headers
kubectl get ns
kubectl get ns get -o yaml
kubectl get ns get default kube-system
kubectl get cm -n nowhere
kubectl get cm a -n nowhere
kubectl get svc -A
kubectl get svc -n default kubernetes -o wide
kubectl get ep,endpointslices -n default -o wide | sed 's/[0-9.]*:[0-9]*/address/;s/[0-9]\{4,5\}  */port /'
kubectl get sa -A
kubectl get leases -A --no-headers | grep -v apiserver- | awk '{print $1}'
kubectl get componentstatuses -o name | sort
kubectl get flowschemas
kubectl get prioritylevelconfigurations
kubectl get flowschemas exempt -o yaml
kubectl get prioritylevelconfigurations workload-low -o yaml
kubectl get priorityclasses -o wide
kubectl get clusterroles | grep -v '^get\|create'
kubectl get clusterrolebindings -o wide
kubectl get clusterrole admin view edit cluster-admin -o yaml
kubectl get clusterrole system:node -o yaml
kubectl get roles,rolebindings -A -o wide
kubectl get apiservices
kubectl get apiservice v1.apps -o yaml
kubectl get crd
kubectl get csr,sc,pv,ingressclass,csidrivers,csinodes,runtimeclass,volumeattachments
kubectl get validatingadmissionpolicies,validatingwebhookconfigurations,mutatingwebhookconfigurations,validatingadmissionpolicybindings
kubectl get deploy web --subresource=status -o yaml
kubectl get pods --server-print=false
kubectl get cm,deploy --server-print=false
kubectl get cm -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'
kubectl get -f - -o name <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}'
kubectl get cm --as=bob
kubectl get cm --as=bob --as-group=system:masters -o name
kubectl get cm a --user=alice
kubectl get ns --user=nobody
kubectl get cm --token=wrong --user=nobody
kubectl get --raw "/api/v1/namespaces/get/configmaps?limit=1" | sed 's/"continue":"[^"]*"/"continue":""/'
