# kubectl expose and run.

kubectl create deploy web --image=nginx --port=80
kubectl expose deploy web --dry-run=server -o yaml
kubectl expose deploy web
kubectl expose deploy web
kubectl expose deploy web --name=np --type=NodePort --port=81 --target-port=http
kubectl expose deploy web --name=lb --type=LoadBalancer --load-balancer-ip=1.2.3.4 --session-affinity=ClientIP -o yaml
kubectl expose deploy web --name=ext --external-ip=1.2.3.4 --port=80 -l a=b
kubectl expose deploy web --name=en --type=ExternalName
kubectl expose deploy web --name=cip --cluster-ip=None --protocol=UDP
kubectl expose deploy web --name=wrong --type=Other
kubectl expose deploy web --name=wrong --session-affinity=Other
kubectl expose deploy nothing
kubectl expose cm x --port=80
kubectl expose svc web --name=again --port=82
kubectl expose deploy web --name=over --overrides='{"spec":{"ports":[{"port":99}]}}' -o jsonpath='{.spec.ports}{"\n"}'
kubectl run p --image=nginx --dry-run=server -o yaml
kubectl run p --image=nginx --labels=a=b,c=d --port=80 --env=X=y --annotations=n=o
kubectl run p --image=nginx
kubectl run once --image=busybox --restart=Never -- echo hello
kubectl run cmd --image=busybox --restart=OnFailure --command -- sleep 1
kubectl run exposed --image=nginx --port=80 --expose
kubectl run over --image=nginx --overrides='{"spec":{"nodeName":"n1"}}' -o yaml
kubectl run Bad_Name --image=nginx
kubectl run bad --image=' x'
kubectl run q --image=nginx --image-pull-policy=Sometimes
kubectl run att --image=nginx --attach --pod-running-timeout=1s
kubectl run att2 --image=nginx -it --rm --restart=Never --pod-running-timeout=1s < /dev/null
kubectl expose pod p
kubectl get pods,svc -o wide
kubectl get pod p -o yaml
kubectl get endpoints,endpointslices
