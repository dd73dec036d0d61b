# kubectl apply as it is used most: files, standard input, folders, dry runs, prune, and sets.

cat > cm.yaml <<END
apiVersion: v1
kind: ConfigMap
metadata: {name: c, labels: {set: one}}
data: {a: "1", b: "2"}
END
kubectl apply -f cm.yaml
kubectl apply -f cm.yaml
kubectl apply -f cm.yaml -o yaml
kubectl apply -f cm.yaml -o name
kubectl apply -f cm.yaml -o json --show-managed-fields
sed 's/"2"/"3"/' cm.yaml | kubectl apply -f -
sed 's/, b: "2"//' cm.yaml | kubectl apply -f -
kubectl get cm c -o jsonpath='{.data}{"\n"}'
kubectl apply view-last-applied cm c
kubectl apply view-last-applied -f cm.yaml -o json
kubectl apply view-last-applied cm nothing
kubectl create cm bare --from-literal=a=1
kubectl apply view-last-applied cm bare
kubectl apply set-last-applied -f cm.yaml
kubectl apply view-last-applied cm c
kubectl create cm late --from-literal=x=1 -o yaml --dry-run=client > late.yaml; kubectl create -f late.yaml; kubectl apply set-last-applied -f late.yaml
kubectl apply set-last-applied -f late.yaml --create-annotation
kubectl apply set-last-applied -f late.yaml --create-annotation --dry-run=server -o yaml
KUBE_EDITOR="sed -i s/2/4/" kubectl apply edit-last-applied cm c
kubectl apply view-last-applied cm c
KUBE_EDITOR=true kubectl apply edit-last-applied cm c
kubectl apply -f late.yaml
# An object that was created without apply gets its annotation late.
sed 's/x: "1"/x: "2"/' late.yaml > late2.yaml; kubectl create cm never --from-literal=x=1; sed 's/name: late/name: never/' late2.yaml | kubectl apply -f -
kubectl get cm never -o yaml --show-managed-fields
kubectl apply -f cm.yaml --dry-run=server
kubectl apply -f cm.yaml --dry-run=client
kubectl apply -f cm.yaml --dry-run=server -o yaml
kubectl apply -f cm.yaml --dry-run=client -o yaml
sed 's/name: c,/name: other,/' cm.yaml | kubectl apply --dry-run=server -o yaml -f -
kubectl apply -f cm.yaml --overwrite=false
kubectl apply -f cm.yaml --field-manager=mine
kubectl get cm c -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation}{"\n"}{end}'
kubectl apply -f cm.yaml --force
kubectl apply -f nothing.yaml
kubectl apply
kubectl apply -f cm.yaml -n nowhere
kubectl apply -f cm.yaml --wait
kubectl apply -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"Bad_Name"}}'
kubectl apply -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"gen-"}}'
kubectl apply -f - <<< '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"}}'
kubectl apply -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"elsewhere"}}'
kubectl apply -f - <<< '{"kind":"ConfigMap","metadata":{"name":"c"}}'
kubectl apply -f - <<< 'a: b: c'
mkdir -p many/deep; for n in 1 2 3; do sed "s/name: c,/name: many-$n,/" cm.yaml > many/$n.yaml; done; sed "s/name: c,/name: deep,/" cm.yaml > many/deep/cm.yaml
kubectl apply -f many
kubectl apply -R -f many
kubectl apply -f many/1.yaml -f many/2.yaml -o name
for n in 4 5; do echo ---; sed "s/name: c,/name: doc-$n,/" cm.yaml; done | kubectl apply -f -
kubectl apply -f - <<END
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: item-1}}
- {apiVersion: v1, kind: Secret, metadata: {name: item-2}, stringData: {a: b}}
END
kubectl get secret item-2 -o jsonpath='{.data.a} {.metadata.annotations}{"\n"}'
# Prune by a label, by lists of kinds, and as a dry run.
kubectl apply -f many/1.yaml --prune -l set=one --dry-run=server
kubectl apply -f many/1.yaml --prune -l set=one --dry-run=client
kubectl apply -f many/1.yaml --prune -l set=one --prune-allowlist=core/v1/Secret
kubectl apply -f many/1.yaml --prune -l set=one --prune-allowlist=core/v1/ConfigMap
kubectl apply -f many/1.yaml -f many/2.yaml; kubectl apply -f many/1.yaml --prune -l set=one --cascade=foreground
kubectl get cm -l set=one
kubectl apply -f many/1.yaml --prune
kubectl apply -f many/1.yaml --prune --all -l a=b
kubectl apply -f many/1.yaml --prune -l set=one --prune-allowlist=nothing
# Sets: the parent keeps which kinds it has.
KUBECTL_APPLYSET=true kubectl apply -f many/1.yaml -f many/2.yaml --prune --applyset=mine
kubectl get secret mine -o jsonpath='{.metadata.labels} {.metadata.annotations}{"\n"}'
KUBECTL_APPLYSET=true kubectl apply -f many/1.yaml --prune --applyset=mine --dry-run=server
KUBECTL_APPLYSET=true kubectl apply -f many/1.yaml --prune --applyset=mine
kubectl get cm --show-labels
KUBECTL_APPLYSET=true kubectl apply -f many/1.yaml --prune --applyset=configmap/other
KUBECTL_APPLYSET=true kubectl apply -f many/1.yaml --prune --applyset=pods/other
KUBECTL_APPLYSET=true kubectl apply -f many/3.yaml --prune --applyset=secret/nothing --dry-run=server
KUBECTL_APPLYSET=true kubectl apply -f many/1.yaml --prune --applyset=another
KUBECTL_APPLYSET=true kubectl apply -f many/1.yaml --prune --applyset=another --force-conflicts --server-side
KUBECTL_APPLYSET=true kubectl apply -f - --prune --applyset=mine <<< '{"apiVersion":"v1","kind":"List","items":[]}'
kubectl apply -f - <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, ports: [{containerPort: 80}]}, {name: side, image: busybox}]}
END
kubectl apply -f - <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx:2, ports: [{containerPort: 81}], env: [{name: A, value: b}]}]}
END
kubectl get deploy web -o yaml --show-managed-fields
kubectl apply -f - <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: other}}
  template:
    metadata: {labels: {app: other}}
    spec: {containers: [{name: web, image: nginx}]}
END
kubectl apply --force -f - <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: other}}
  template:
    metadata: {labels: {app: other}}
    spec: {containers: [{name: web, image: nginx}]}
END
kubectl get deploy -o wide
kubectl apply --openapi-patch=false -f - <<END
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {selector: {app: web}, ports: [{port: 80}, {name: b, port: 81}]}
END
kubectl apply -f - <<END
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {selector: {app: web}, ports: [{name: a, port: 80}, {name: b, port: 81}]}
END
kubectl apply -f - <<END
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {selector: {app: web}, ports: [{name: a, port: 80, targetPort: 8080}], sessionAffinity: ClientIP}
END
kubectl get svc s -o jsonpath='{.spec.ports} {.spec.sessionAffinityConfig}{"\n"}'
