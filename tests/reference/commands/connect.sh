# What needs a node, where there is none.

kubectl run p --image=nginx --port=80
kubectl logs p
kubectl logs p -c other
kubectl logs p -c p --previous
kubectl logs p --tail=-5
kubectl logs p --since=1h --limit-bytes=0
kubectl logs nothing
kubectl logs p --all-containers
kubectl logs -l run=p
kubectl logs deploy/nothing
kubectl logs p -f --pod-running-timeout=1s
kubectl exec p -- date
kubectl exec p -c other -- date
kubectl exec p
kubectl exec nothing -- date
kubectl exec -it p -- sh < /dev/null
kubectl attach p
kubectl attach nothing
kubectl port-forward p 0:80
kubectl port-forward nothing 0:80
kubectl port-forward svc/nothing 0:80
kubectl cp p:/etc/hosts hosts
kubectl cp nothing:/etc/hosts hosts
kubectl debug p --image=busybox --container=dbg -- true
kubectl debug p --image=busybox --copy-to=copied --container=dbg --attach=false
kubectl get pod copied -o yaml
kubectl debug p --image=busybox --target=p --container=dbg2 --attach=false
kubectl debug p --image=busybox --container=dbg --attach=false
kubectl debug nothing --image=busybox
kubectl debug p --image=busybox --container=np --profile=netadmin --attach=false
kubectl get pod p -o jsonpath='{.spec.ephemeralContainers}{"\n"}'
kubectl describe pod p
kubectl run two --image=nginx --overrides='{"spec":{"nodeName":"nowhere","containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]}}'
kubectl logs two
kubectl logs two -c a
kubectl exec two -- date
kubectl exec two -c b -- date
kubectl attach two
kubectl port-forward two 0:80
kubectl create deploy web --image=nginx; kubectl logs deploy/web --pod-running-timeout=1s
kubectl exec deploy/web --pod-running-timeout=1s -- date
kubectl create svc clusterip s --tcp=80; kubectl port-forward svc/s 0:80 --pod-running-timeout=1s
kubectl get --raw /api/v1/namespaces/connect/services/s/proxy/
kubectl get --raw /api/v1/namespaces/connect/pods/p/proxy/
kubectl get --raw /api/v1/namespaces/connect/pods/p/log
kubectl get --raw '/api/v1/namespaces/connect/pods/p/log?container=x&tailLines=-1'
kubectl get --raw /api/v1/namespaces/connect/pods/p/exec
kubectl get --raw /api/v1/nodes/none/proxy/
kubectl delete pod --all --force
