# kubectl set.

kubectl create deploy web --image=nginx
kubectl set image deploy/web nginx=nginx:1
kubectl set image deploy/web nginx=nginx:1
kubectl set image deploy/web other=nginx:1
kubectl set image deploy/web '*=nginx:2'
kubectl set image deploy/nothing '*=nginx:2'
kubectl set image deploy --all '*=nginx:3'
kubectl set image deploy/web nginx=nginx:4 --dry-run=server
kubectl set image deploy/web nginx=nginx:4 --dry-run=server -o yaml
kubectl set image deploy/web nginx=nginx:4 --dry-run=client -o name
kubectl set image deploy/web nginx=nginx:4 --local -o yaml
kubectl set image deploy/web nginx='not an image'
kubectl set image deploy/web nginx=' spaced '
kubectl set image cm/x a=b
kubectl set env deploy/web A=1 B=2
kubectl set env deploy/web A=1 B=2
kubectl set env deploy/web --list
kubectl set env deploy/web B-
kubectl set env deploy/web A=3 --overwrite=false
kubectl set env deploy/web 'bad name=1'
kubectl create cm c --from-literal=two=2; kubectl create cm d --from-literal=key-one=1; kubectl create secret generic s --from-literal=pass=word
kubectl set env deploy/web --from=cm/d --prefix=C_
kubectl set env deploy/web --from=secret/s
kubectl set env deploy/web --from=cm/nothing
kubectl set env deploy/web --from=cm/c --keys=two
kubectl set env deploy/web --list
kubectl set env deploy/web --list --resolve
kubectl set env deploy --all -c nginx X=y
kubectl set env deploy/web -c none X=z
kubectl set env deploy/web E=- --dry-run=server -o jsonpath='{.spec.template.spec.containers[0].env}'
kubectl set resources deploy/web --limits=cpu=200m,memory=512Mi
kubectl set resources deploy/web --limits=cpu=200m,memory=512Mi --requests=cpu=100m,memory=256Mi
kubectl set resources deploy/web --requests=cpu=300m
kubectl set resources deploy/web --limits=cpu=0,memory=0 --requests=cpu=0
kubectl set resources deploy/web --limits=bananas=3
kubectl set resources deploy/web --limits=cpu=x
kubectl set resources deploy/web -c=nginx --limits=cpu=1 --dry-run=server -o yaml
kubectl set resources deploy/web
kubectl create svc clusterip web --tcp=80
kubectl set selector svc web app=other
kubectl set selector svc web app=other,x=y -o yaml
kubectl set selector svc web app=z --resource-version=1
kubectl set selector svc web app=z --dry-run=server
kubectl set selector deploy web app=z
kubectl set selector svc nothing app=z
kubectl create sa robot
kubectl set serviceaccount deploy web robot
kubectl set sa deploy/web robot
kubectl set sa deploy/web nobody --dry-run=server
kubectl set sa deploy/web 'Bad Name'
kubectl create clusterrolebinding set-crb --clusterrole=view --user=a
kubectl create rolebinding rb --clusterrole=view --group=g
kubectl set subject clusterrolebinding set-crb --user=b --group=g --serviceaccount=set:robot
kubectl set subject rolebinding rb --user=b
kubectl set subject rolebinding rb --user=b
kubectl set subject rolebinding rb --user=c --dry-run=server -o yaml
kubectl set subject rolebinding nothing --user=b
kubectl get clusterrolebinding/set-crb -o yaml
kubectl get rolebinding -o wide
kubectl get deploy web -o yaml --show-managed-fields
kubectl delete clusterrolebinding set-crb
kubectl run p --image=nginx; kubectl set image pod/p p=nginx:2
kubectl set env pod/p A=1
kubectl set resources pod/p --limits=cpu=1
