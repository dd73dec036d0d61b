# kubectl label and annotate.

kubectl create cm c
kubectl label cm c a=1
kubectl label cm c a=1
kubectl label cm c a=2
kubectl label cm c a=2 --overwrite
kubectl label cm c b=1 c=
kubectl label cm c --list | sort
kubectl label cm c a-
kubectl label cm c a-
kubectl label cm c a=1 a-
kubectl label cm c bad/key/x=1
kubectl label cm c 'a=not ok'
kubectl label cm c x=y --resource-version=1
kubectl label cm c x=y --dry-run=server
kubectl label cm c x=y --dry-run=server -o yaml
kubectl label cm c x=y --dry-run=client -o yaml
kubectl label cm c x=y --local
kubectl label cm nothing x=y
kubectl label cm x=y
kubectl label cm c
kubectl label cm --all all=yes
kubectl label cm -l all=yes more=1
kubectl label cm --field-selector metadata.name=c f=1
kubectl label cm,secret --all z=1
kubectl label ns label team=x
kubectl label ns label kubernetes.io/metadata.name=x --overwrite
kubectl label ns label pod-security.kubernetes.io/enforce=sometimes
kubectl label cm c a=3 --resource-version="$(kubectl get cm c -o jsonpath='{.metadata.resourceVersion}')"
kubectl get cm c -o yaml --show-managed-fields
kubectl get cm -L a,b --show-labels
kubectl get cm -l 'a in (3,4),!nothing,b!=2' -o name
kubectl get cm -l 'a in (3'
kubectl get cm -l 'a=b=c'
kubectl annotate cm c note='some text here'
kubectl annotate cm c note=other
kubectl annotate cm c note=other --overwrite
kubectl annotate cm c note-
kubectl annotate cm c note-
kubectl annotate cm c 'bad key=1'
kubectl annotate cm c Caps/Key=1
kubectl annotate cm c x=y --resource-version=1
kubectl annotate cm c x=y --dry-run=server
kubectl annotate cm --all x=y
kubectl annotate cm c --list | sort
kubectl annotate cm c big="$(head -c 100000 /dev/zero | tr '\0' x)" one=1 > /dev/null
for n in 1 2 3; do kubectl annotate cm c big$n="$(head -c 100000 /dev/zero | tr '\0' x)" > /dev/null; done
kubectl annotate deploy nothing a=b
kubectl label node nothing a=b
kubectl annotate -f - a=b <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}'
