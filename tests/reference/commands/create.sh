# kubectl create: each generator, for real and as a dry run on the server.

kubectl create cm c --from-literal=a=1 --from-literal=b=two --dry-run=server -o yaml
kubectl create cm c --from-literal=a=1 --from-literal=b=two
kubectl create cm c --from-literal=a=1
printf 'plain text\nof two lines\n' > text.txt; printf '\x00\xff\xfe' > binary.bin; printf 'K=v\n# comment\nL=w\n' > some.env; mkdir -p dir; cp text.txt dir/one; cp binary.bin dir/two
kubectl create cm files --from-file=text.txt --from-file=key=text.txt --from-file=binary.bin
kubectl get cm files -o yaml
kubectl create cm folder --from-file=dir -o yaml
kubectl create cm env --from-env-file=some.env --append-hash -o yaml
kubectl create cm none --from-file=nothing
kubectl create cm bad --from-literal='bad key'=1
kubectl create cm Bad
kubectl create secret generic s --from-literal=p=w --dry-run=server -o yaml
kubectl create secret generic s --from-literal=p=w --from-file=binary.bin
kubectl create secret generic typed --type=example.com/x --from-literal=a=b -o yaml
kubectl create secret generic auth --type=kubernetes.io/basic-auth --from-literal=a=b
kubectl create secret generic auth --type=kubernetes.io/basic-auth --from-literal=username=b
kubectl create secret generic ssh --type=kubernetes.io/ssh-auth --from-literal=a=b
kubectl create secret docker-registry reg --docker-server=example.com --docker-username=u --docker-password=p --docker-email=e@example.com
kubectl create secret docker-registry reg2 --docker-username=u --docker-password=p --dry-run=server -o yaml
kubectl get secrets
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout tls.key -out tls.crt -subj /CN=x -days 1 2>/dev/null
kubectl create secret tls t --cert=tls.crt --key=tls.key
kubectl create secret tls t2 --cert=tls.crt --key=nothing
kubectl describe secret t s reg | grep -v ^tls.crt
kubectl create deployment web --image=nginx --dry-run=server -o yaml
kubectl create deployment web --image=nginx --replicas=2 --port=80
kubectl create deployment two --image=nginx --image=busybox:1 -o yaml
kubectl create deployment cmd --image=busybox -- sleep 1
kubectl create deployment 'Bad_Name' --image=nginx
kubectl create deployment x --image=nginx --replicas=-2
kubectl create job once --image=busybox --dry-run=server -o yaml
kubectl create job once --image=busybox -- date
kubectl create cronjob often --image=busybox --schedule='*/5 * * * *' --dry-run=server -o yaml
kubectl create cronjob often --image=busybox --schedule='*/5 * * * *' --restart=Never -- date
kubectl create cronjob wrong --image=busybox --schedule='every day'
kubectl create cronjob zoned --image=busybox --schedule='TZ=UTC 0 0 * * *'
kubectl create cronjob macro --image=busybox --schedule='@hourly'
kubectl create job manual --from=cronjob/often
kubectl create job manual2 --from=cronjob/often --dry-run=server -o yaml
kubectl create job none --from=cronjob/nothing
kubectl create job long-name-that-is-far-too-long-for-a-job-since-pods-have-this-in-a-label --image=busybox
kubectl get jobs,cronjobs -o wide
kubectl get job manual -o yaml
kubectl create namespace create-more --dry-run=server -o yaml
kubectl create namespace create-more
kubectl create namespace create-more
kubectl create namespace Bad_Name
kubectl create namespace create
kubectl delete namespace create-more
kubectl create quota q --hard=pods=3,cpu=1,configmaps=5 --dry-run=server -o yaml
kubectl create quota q --hard=pods=300,cpu=100
kubectl create quota best --hard=pods=1 --scopes=BestEffort,NotTerminating
kubectl create quota wrong --hard=cpu=1 --scopes=BestEffort
kubectl create quota wrong --hard=pods=x
kubectl create quota wrong --hard=bananas=2
kubectl create quota wrong --hard=pods=2 --scopes=Never
kubectl create role r --verb=get,list --resource=pods,deployments.apps --dry-run=server -o yaml
kubectl create role r --verb=get,list --resource=pods --resource-name=a --resource-name=b
kubectl create role sub --verb=get --resource=pods/log,pods/exec -o yaml
kubectl create role wrong --verb=fly --resource=pods
kubectl create role wrong --verb=get --resource=nothings
kubectl create role star --verb='*' --resource='*'
kubectl create clusterrole create-cr --verb=get --non-resource-url=/healthz --non-resource-url='/logs/*' --dry-run=server -o yaml
kubectl create clusterrole create-cr --verb=get --non-resource-url=/healthz
kubectl create clusterrole create-agg --aggregation-rule='rbac.example.com/to-create=true' -o yaml
kubectl create clusterrole create-res --verb=get,watch --resource=nodes,pods
kubectl create clusterrole wrong --verb=get
kubectl create rolebinding rb --role=r --user=u --group=g --serviceaccount=create:sa --dry-run=server -o yaml
kubectl create rolebinding rb --clusterrole=view --serviceaccount=create:sa
kubectl create rolebinding wrong --clusterrole=view --role=r --user=u
kubectl create clusterrolebinding create-crb --clusterrole=view --group=g --dry-run=server -o yaml
kubectl create clusterrolebinding create-crb --clusterrole=nothing --user=u
kubectl create sa sa --dry-run=server -o yaml
kubectl create sa sa
kubectl create token sa
kubectl create token sa --duration=10m --audience=a --audience=b -o jsonpath='{.spec}'
kubectl create token sa --duration=10m | cut -d. -f2 | tr '_-' '/+' | base64 -d 2>/dev/null | sed 's/"\(exp\|iat\|nbf\)":[0-9]*/"\1":0/g'
kubectl create token sa --duration=1s
kubectl create token sa --duration=1000000h -o jsonpath='{.spec}'
kubectl create token nobody
kubectl create token sa --bound-object-kind=Secret --bound-object-name=s -o jsonpath='{.spec}'
kubectl create token sa --bound-object-kind=Secret --bound-object-name=nothing
kubectl create token sa --bound-object-kind=ConfigMap --bound-object-name=c
kubectl create token sa --bound-object-kind=Secret --bound-object-name=s --bound-object-uid=11111111-1111-4111-8111-111111111111
kubectl create token sa --bound-object-kind=Pod --bound-object-name=nothing
kubectl create token sa --bound-object-kind=Node --bound-object-name=nothing
kubectl create pdb p --selector=app=web --min-available=1 --dry-run=server -o yaml
kubectl create pdb p --selector=app=web --min-available=50%
kubectl create pdb max --selector=app=web --max-unavailable=1
kubectl create pdb wrong --selector=app=web --min-available=x%
kubectl get pdb
kubectl create priorityclass create-high --value=1000 --description='much' --dry-run=server -o yaml
kubectl create priorityclass create-high --value=1000 --preemption-policy=Never
kubectl create priorityclass create-low --value=-5 --global-default=true
kubectl create priorityclass wrong --value=2000000000
kubectl create priorityclass system-mine --value=1
kubectl create priorityclass wrong --value=1 --preemption-policy=Sometimes
kubectl get priorityclass
kubectl delete priorityclass create-high create-low
kubectl create ingress i --rule='example.com/path*=svc:80' --dry-run=server -o yaml
kubectl create ingress i --class=nginx --rule='example.com/=svc:http,tls=secret' --annotation a=b
kubectl create ingress d --default-backend=svc:80 -o yaml
kubectl create ingress e --rule='*.example.com/a=svc:80' --rule='x.example.com/b*=other:81'
kubectl create ingress wrong --rule='a b=svc:80'
kubectl get ingress -o wide
kubectl describe ingress i e d
kubectl create service clusterip s --tcp=80:8080 --dry-run=server -o yaml
kubectl create service clusterip s --tcp=80:8080 --tcp=443
kubectl create service clusterip headless --clusterip=None
kubectl create service clusterip fixed --clusterip=10.0.0.77 --tcp=80
kubectl create service clusterip fixed2 --clusterip=10.0.0.77 --tcp=80
kubectl create service clusterip outside --clusterip=10.9.0.77 --tcp=80
kubectl create service nodeport np --tcp=80 --node-port=30123 --dry-run=server -o yaml
kubectl create service nodeport np --tcp=80 --node-port=30123
kubectl create service nodeport np2 --tcp=80 --node-port=30123
kubectl create service nodeport np3 --tcp=80 --node-port=80
kubectl create service nodeport np4 --tcp=80
kubectl create service loadbalancer lb --tcp=80:http
kubectl create service loadbalancer lb2 --tcp=80 --dry-run=server -o yaml
kubectl create service externalname en --external-name=example.com
kubectl create service externalname en2 --external-name='not a name'
kubectl create service clusterip wrong --tcp=99999
kubectl get svc -o wide
kubectl describe svc s headless np lb en
kubectl create -f text.txt
kubectl create -f - < /dev/null
kubectl create -f - -o yaml <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"made-"}}' | sed 's/made-[a-z0-9]*/made-x/'
kubectl create -f - --save-config -o yaml <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"saved"}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMapList","items":[{"metadata":{"name":"l1"}},{"metadata":{"name":"l2"}}]}'
kubectl create -f - <<< '{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}' -o yaml
kubectl create -f - <<< '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"alice-token"}}' -o yaml
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Binding","metadata":{"name":"x"},"target":{"kind":"Node","name":"n"}}'
kubectl create -f - <<< '{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"old"}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ComponentStatus","metadata":{"name":"x"}}'
kubectl delete clusterrole create-cr create-agg create-res; kubectl delete clusterrolebinding create-crb
kubectl get all
kubectl get all -o wide
