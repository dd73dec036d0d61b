# kubectl events, and describe with them.

kubectl create cm c; uid=$(kubectl get cm c -o jsonpath='{.metadata.uid}'); for n in 1 2 3; do kubectl create -f - <<< '{"apiVersion":"v1","kind":"Event","metadata":{"name":"c.'$n'"},"involvedObject":{"apiVersion":"v1","kind":"ConfigMap","name":"c","namespace":"events","uid":"'$uid'"},"reason":"R'$n'","message":"message '$n'","type":"'$([ $n = 2 ] && echo Warning || echo Normal)'","firstTimestamp":"2024-01-02T03:04:0'$n'Z","lastTimestamp":"2024-01-02T03:05:0'$n'Z","count":'$n',"source":{"component":"me","host":"h"}}'; done
kubectl create -f - <<< '{"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"new"},"eventTime":"2024-01-02T03:04:05.000006Z","reportingController":"example.com/me","reportingInstance":"i","action":"Act","reason":"New","regarding":{"kind":"Pod","name":"p","namespace":"events"},"note":"a note","type":"Normal"}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Event","metadata":{"name":"bad"},"involvedObject":{"kind":"ConfigMap","name":"c","namespace":"elsewhere"}}'
kubectl events
kubectl events --for=cm/c
kubectl events --for=pod/p
kubectl events --for=nothing/p
kubectl events --types=Warning
kubectl events --types=Other
kubectl events --types=Normal,Warning --no-headers
kubectl events -o json | grep -c '"reason"'
kubectl events -o yaml --for=cm/c
kubectl events -A --types=Warning
timeout 2 kubectl events --watch --for=cm/c
kubectl get events
kubectl get events -o wide
kubectl get events --sort-by=.reason -o name
kubectl get events.events.k8s.io
kubectl get events.v1.events.k8s.io new -o yaml
kubectl get ev new -o yaml
kubectl get events --field-selector type=Warning
kubectl get events --field-selector reason=New,involvedObject.name=p
kubectl get events.events.k8s.io --field-selector regarding.name=p
kubectl describe cm c
kubectl describe ev c.1
kubectl delete events --all
