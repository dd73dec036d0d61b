# kubectl scale and autoscale.

kubectl create deploy web --image=nginx
kubectl scale deploy web --replicas=3
kubectl scale deploy/web --replicas=3
kubectl scale deploy web --replicas=4 --current-replicas=3
kubectl scale deploy web --replicas=5 --current-replicas=3
kubectl scale deploy web --replicas=5 --resource-version=1
kubectl scale deploy web --replicas=5 --resource-version="$(kubectl get deploy web -o jsonpath='{.metadata.resourceVersion}')"
kubectl scale deploy web --replicas=-1
kubectl scale deploy web
kubectl scale deploy nothing --replicas=1
kubectl scale cm x --replicas=1
kubectl scale deploy web --replicas=6 --dry-run=server
kubectl scale deploy web --replicas=6 --dry-run=client -o yaml
kubectl scale deploy web --replicas=6 -o yaml
kubectl scale deploy --all --replicas=2
kubectl scale deploy -l app=web --replicas=1
kubectl scale deploy web --replicas=1 --timeout=1s
kubectl create -f - <<END
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec: {serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: db}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: rs}
spec: {selector: {matchLabels: {app: rs}}, template: {metadata: {labels: {app: rs}}, spec: {containers: [{name: rs, image: rs}]}}}
---
apiVersion: v1
kind: ReplicationController
metadata: {name: rc}
spec: {selector: {app: rc}, template: {metadata: {labels: {app: rc}}, spec: {containers: [{name: rc, image: rc}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ds}
spec: {selector: {matchLabels: {app: ds}}, template: {metadata: {labels: {app: ds}}, spec: {containers: [{name: ds, image: ds}]}}}
END
kubectl scale sts/db rs/rs rc/rc --replicas=2
kubectl scale ds/ds --replicas=2
kubectl get deploy,sts,rs,rc,ds
kubectl get deploy,sts,rs,rc,ds -o wide
kubectl get deploy web -o yaml --show-managed-fields
kubectl autoscale deploy web --min=1 --max=5 --cpu-percent=80
kubectl autoscale deploy web --min=1 --max=5
kubectl autoscale rs rs --max=3 --name=h -o yaml
kubectl autoscale deploy web --min=5 --max=1
kubectl autoscale deploy nothing --max=1
kubectl autoscale rc rc --max=3 --dry-run=server -o yaml
kubectl autoscale rc rc --max=3 --dry-run=client -o yaml
kubectl autoscale deploy web
kubectl autoscale ds ds --max=2
kubectl get hpa
kubectl get hpa -o yaml
kubectl get hpa.v1.autoscaling h -o yaml
kubectl get hpa.v2.autoscaling h -o json
kubectl describe hpa web
kubectl delete hpa --all
