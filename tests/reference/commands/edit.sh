# kubectl edit with editors that are scripts.

kubectl create cm c --from-literal=a=before
KUBE_EDITOR="sed -i s/before/after/" kubectl edit cm c
KUBE_EDITOR="sed -i s/after/later/" kubectl edit cm/c -o json --output-patch
KUBE_EDITOR=true kubectl edit cm c
kubectl get cm c -o yaml --show-managed-fields
KUBE_EDITOR="sed -i s/later/x/" kubectl edit cm c --save-config
KUBE_EDITOR="sed -i s/later/x/" kubectl edit cm c --windows-line-endings
kubectl edit cm nothing
KUBE_EDITOR="sed -i s/kind:.ConfigMap/kind:\ Secret/" kubectl edit cm c
KUBE_EDITOR="sed -i s/name:.c$/name:\ d/" kubectl edit cm c
KUBE_EDITOR="sed -i s/uid:.*/uid:\ 11111111-1111-4111-8111-111111111111/" kubectl edit cm c
KUBE_EDITOR="sed -i s/resourceVersion:.*/resourceVersion:\ \"1\"/" kubectl edit cm c
KUBE_EDITOR="sed -i d" kubectl edit cm c
KUBE_EDITOR="sed -i s/a:.x/a:\ {/" kubectl edit cm c
cat > editor.sh <<END
#!/bin/sh
# The first time with a mistake, the second time without changing what is shown.
cp \$1 seen-\$(ls seen-* 2>/dev/null | wc -l); sed -i 's/replicas: 1/replicas: -1/' \$1
END
chmod +x editor.sh; kubectl create deploy web --image=nginx
KUBE_EDITOR=./editor.sh kubectl edit deploy web
cat seen-1
KUBE_EDITOR="sed -i s/replicas:.1/replicas:\ many/" kubectl edit deploy web
KUBE_EDITOR="sed -i s/replicas:.1/replicaz:\ 1/" kubectl edit deploy web
KUBE_EDITOR="sed -i s/replicas:.1/replicas:\ 3/" kubectl edit deploy web --output-patch
printf '#!/bin/sh\nsed -i "s/^status:.*/status:\\n  replicas: 2\\n  readyReplicas: 2/" $1\n' > status.sh; chmod +x status.sh; KUBE_EDITOR=./status.sh kubectl edit deploy web --subresource=status
kubectl get deploy web
KUBE_EDITOR="sed -i s/image:.nginx/image:\ nginx:2/" kubectl edit deploy,cm
KUBE_EDITOR="sed -i s/nothing/x/" kubectl edit pods
kubectl create cm d --from-literal=a=x -o yaml --dry-run=client > d.yaml; kubectl create -f d.yaml
KUBE_EDITOR="sed -i s/a:.x/a:\ w/" kubectl edit -f d.yaml
KUBE_EDITOR="sed -i s/a:.w/a:\ z/" kubectl edit -f d.yaml --validate=strict --field-manager=me
kubectl get cm d -o yaml --show-managed-fields
KUBE_EDITOR="sed -i s/name:.d$/name:\ e/" kubectl create -f d.yaml --edit
KUBE_EDITOR="sed -i s/a:.x/a:\ 1/" kubectl create -f d.yaml --edit
kubectl get pod nothing --subresource=status
KUBE_EDITOR=false kubectl edit cm d
KUBE_EDITOR="sed -i s/a:.z/a:\ v/" kubectl edit cm d --subresource=status
KUBE_EDITOR="sed -i /labels/d" kubectl edit deploy/web cm/c
