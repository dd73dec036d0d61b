# kubectl rollout. Nothing makes the replica sets here, so their history is made by hand.

kubectl create deploy web --image=nginx
kubectl rollout restart deploy/web
kubectl rollout restart deploy web
kubectl get deploy web -o jsonpath='{.metadata.generation} {.spec.template.metadata.annotations}{"\n"}'
kubectl rollout history deploy/web
kubectl rollout history deploy/web --revision=3
kubectl rollout undo deploy/web
kubectl rollout status deploy/web --timeout=2s
kubectl rollout status deploy/web --watch=false
kubectl rollout status deploy/nothing
kubectl rollout pause deploy/web
kubectl rollout pause deploy/web
kubectl rollout restart deploy/web
kubectl rollout undo deploy/web
kubectl rollout resume deploy/web
kubectl rollout resume deploy/web
kubectl rollout pause deploy/web --dry-run=server 2>&1 | head -1
kubectl rollout restart deploy -l app=web
kubectl rollout restart deploy -l app=none
kubectl rollout restart cm/x
kubectl rollout restart deploy/nothing
kubectl rollout restart deploy/web -o name --field-manager=me
kubectl get deploy web -o yaml --show-managed-fields | sed 's/hash: .*/hash: x/'
uid=$(kubectl get deploy web -o jsonpath='{.metadata.uid}'); for n in 1 2; do sed "s/UID/$uid/;s/NUM/$n/g" <<END | kubectl create -f -; done
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-NUM
  labels: {app: web, pod-template-hash: hNUM}
  annotations: {deployment.kubernetes.io/revision: "NUM", kubernetes.io/change-cause: change NUM}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: UID, controller: true, blockOwnerDeletion: true}]
spec:
  replicas: 0
  selector: {matchLabels: {app: web, pod-template-hash: hNUM}}
  template: {metadata: {labels: {app: web, pod-template-hash: hNUM}}, spec: {containers: [{name: nginx, image: "nginx:NUM"}]}}
END
kubectl rollout history deploy/web
kubectl rollout history deploy/web --revision=1
kubectl rollout history deploy/web --revision=9
kubectl rollout history deploy/web -o yaml --revision=2
kubectl rollout undo deploy/web --to-revision=1 --dry-run=server
kubectl rollout undo deploy/web --to-revision=1 --dry-run=client
kubectl rollout undo deploy/web --to-revision=1
kubectl rollout undo deploy/web --to-revision=7
kubectl rollout undo deploy/web
kubectl get deploy web -o wide
kubectl describe deploy web
kubectl patch deploy web --subresource=status --type=merge -p '{"status":{"observedGeneration":99,"replicas":1,"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}}'
kubectl rollout status deploy/web
kubectl patch deploy web --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}}'
kubectl rollout status deploy/web
kubectl create -f - <<END
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ds}
spec: {selector: {matchLabels: {app: ds}}, template: {metadata: {labels: {app: ds}}, spec: {containers: [{name: ds, image: ds}]}}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec: {serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: db}]}}}
END
for kind in DaemonSet/ds StatefulSet/db; do uid=$(kubectl get $kind -o jsonpath='{.metadata.uid}'); sed "s/UID/$uid/;s/KIND/${kind%/*}/;s/NAME/${kind#*/}/g" <<END | kubectl create -f -; done
apiVersion: apps/v1
kind: ControllerRevision
metadata:
  name: NAME-1
  labels: {app: NAME}
  ownerReferences: [{apiVersion: apps/v1, kind: KIND, name: NAME, uid: UID, controller: true}]
revision: 1
data: {spec: {template: {\$patch: replace, metadata: {labels: {app: NAME}}, spec: {containers: [{name: NAME, image: old}]}}}}
END
kubectl rollout history ds/ds
kubectl rollout history ds/ds --revision=1
kubectl rollout history sts/db
kubectl rollout undo ds/ds --to-revision=1
kubectl rollout undo sts/db --to-revision=1 --dry-run=server
kubectl rollout restart ds/ds sts/db
kubectl rollout status ds/ds --timeout=1s
kubectl rollout status sts/db --timeout=1s
kubectl get ds,sts,controllerrevisions -o wide
kubectl rollout pause ds/ds
