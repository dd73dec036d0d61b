# apply -k and its like.

mkdir -p base over; cat > base/kustomization.yaml <<END
resources: [deploy.yaml, svc.yaml]
labels: [{pairs: {team: x}, includeSelectors: true}]
configMapGenerator: [{name: settings, literals: [a=1, b=2]}]
secretGenerator: [{name: hidden, literals: [p=w]}]
images: [{name: nginx, newTag: "9"}]
END
cat > base/deploy.yaml <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, envFrom: [{configMapRef: {name: settings}}]}]}
END
cat > base/svc.yaml <<END
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
END
cat > over/kustomization.yaml <<END
resources: [../base]
namePrefix: over-
replicas: [{name: web, count: 3}]
patches: [{target: {kind: Service}, patch: '[{"op":"add","path":"/spec/type","value":"NodePort"}]'}]
END
kubectl kustomize base
kubectl diff -k base
kubectl apply -k base --dry-run=server
kubectl apply -k base
kubectl apply -k base
kubectl apply -k over
kubectl apply -k over --server-side
kubectl get deploy,svc,cm,secret --show-labels
kubectl get -k over -o name
kubectl delete -k over
kubectl replace -k base
kubectl apply -k base --prune -l team=x
sed -i 's/b=2/b=3/' base/kustomization.yaml; kubectl apply -k base --prune -l team=x
kubectl delete -k base --wait=false
kubectl create -k nowhere
