# kubectl patch in its three ways, on objects and what is below them.

kubectl create cm c --from-literal=a=1
kubectl patch cm c -p '{"data":{"s":"1"}}'
kubectl patch cm c --type=strategic -p '{"data":{"s":"1"}}'
kubectl patch cm c --type=merge -p '{"data":{"a":null,"m":"1"}}'
kubectl patch cm c --type=json -p '[{"op":"add","path":"/data/j","value":"1"},{"op":"test","path":"/data/m","value":"1"}]'
kubectl patch cm c --type=json -p '[{"op":"test","path":"/data/m","value":"2"}]'
kubectl patch cm c --type=json -p '[{"op":"remove","path":"/data/nothing"}]'
kubectl patch cm c --type=json -p '[{"op":"add","path":"/nowhere/deep","value":"1"}]'
kubectl patch cm c --type=json -p '[{"op":"fly","path":"/data/m"}]'
kubectl patch cm c --type=json -p '{"op":"add"}'
kubectl patch cm c --type=json -p '[{"op":"move","from":"/data/j","path":"/data/k"},{"op":"copy","from":"/data/k","path":"/data/l"}]'
kubectl patch cm c --type=merge -p '[]'
kubectl patch cm c --type=merge -p 'x'
kubectl patch cm c -p '{'
kubectl patch cm c --type=other -p '{}'
kubectl patch cm c
kubectl patch cm nothing -p '{}'
kubectl patch cm c -p '{}'
kubectl patch cm c --type=merge -p '{"data":{"n":1}}'
kubectl patch cm c -p '{"data":{"n":1}}'
kubectl patch cm c --type=merge -p '{"metadata":{"name":"d"}}'
kubectl patch cm c --type=merge -p '{"metadata":{"resourceVersion":"1"}}'
kubectl patch cm c --type=merge -p '{"kind":"Secret"}'
kubectl patch cm c --type=merge -p '{"unknown":1}'
kubectl patch cm c -p '{"unknown":1}'
kubectl patch cm c --dry-run=server -p '{"data":{"d":"1"}}' -o yaml
kubectl patch cm c --dry-run=client -p '{"data":{"d":"1"}}' -o yaml
kubectl patch cm c --local -p '{"data":{"d":"1"}}' -o yaml
echo 'data: {f: "1"}' > patch.yaml; kubectl patch cm c --patch-file patch.yaml -o jsonpath='{.data}{"\n"}'
kubectl get cm c -o yaml > c.yaml; kubectl patch -f c.yaml -p '{"data":{"g":"1"}}' --field-manager=me
kubectl get cm c -o yaml --show-managed-fields
kubectl create deploy web --image=nginx
kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}'
kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}'
kubectl patch deploy web -p '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"nginx"}],"containers":[{"name":"b","image":"b"}]}}}}' -o jsonpath='{.spec.template.spec.containers[*].name}{"\n"}'
kubectl patch deploy web -p '{"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}' -o jsonpath='{.spec.strategy}{"\n"}'
kubectl patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"image":"nameless"}]}}}}'
kubectl patch deploy web --type=merge -p '{"spec":{"template":{"spec":{"containers":[{"name":"only"}]}}}}'
kubectl patch deploy web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":-1}]'
kubectl patch deploy web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":"3"}]'
kubectl patch deploy web --type=json -p '[{"op":"replace","path":"/spec/replicas","value":3}]'
kubectl patch deploy web --type=merge -p '{"spec":{"selector":{"matchLabels":{"a":"b"}}}}'
kubectl patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":3,"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1,"observedGeneration":9}}'
kubectl get deploy web
kubectl patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":-1}}'
kubectl patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":7}}'
kubectl patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":7}}' -o yaml
kubectl patch deploy web --subresource=scale -p '{"spec":{"replicas":8}}'
kubectl patch deploy web --subresource=scale --type=json -p '[{"op":"replace","path":"/spec/replicas","value":-2}]'
kubectl patch deploy web --subresource=other --type=merge -p '{}'
kubectl patch cm c --subresource=status --type=merge -p '{}'
kubectl get deploy web --subresource=scale
kubectl get deploy web --subresource=scale -o yaml
kubectl get deploy web --subresource=status
kubectl get deploy --subresource=scale
kubectl get cm c --subresource=scale
kubectl get deploy web --subresource=scale -o json > scale.json; sed -i 's/"replicas": 8/"replicas": 2/' scale.json; kubectl replace -f scale.json --subresource=scale
kubectl get deploy web -o json > web.json; kubectl replace -f web.json --subresource=status
kubectl get deploy web -o json | sed 's/"replicas": 3/"replicas": 6/' > web.json; kubectl replace -f web.json --subresource=scale
kubectl patch svc nothing --subresource=status --type=merge -p '{}'
kubectl create svc clusterip s --tcp=80:8080
kubectl patch svc s -p '{"spec":{"ports":[{"port":80,"targetPort":9090},{"port":81,"name":"b"}]}}'
kubectl patch svc s --type=json -p '[{"op":"replace","path":"/spec/ports/0/port","value":82}]'
kubectl patch svc s --type=merge -p '{"spec":{"clusterIP":"10.0.0.99"}}'
kubectl patch svc s --type=merge -p '{"spec":{"type":"NodePort"}}'
kubectl patch svc s --type=merge -p '{"spec":{"type":"ExternalName","externalName":"example.com","clusterIP":"","clusterIPs":null}}'
kubectl patch svc s --subresource=status --type=merge -p '{"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}'
kubectl patch sa default -p '{"imagePullSecrets":[{"name":"x"}]}'
kubectl create sa default; kubectl patch sa default -p '{"imagePullSecrets":[{"name":"x"}]}' -o yaml
kubectl run p --image=nginx
kubectl patch pod p -p '{"spec":{"containers":[{"name":"p","image":"nginx:2"}]}}'
kubectl patch pod p -p '{"spec":{"containers":[{"name":"p","command":["x"]}]}}'
kubectl patch pod p -p '{"spec":{"activeDeadlineSeconds":5}}'
kubectl patch pod p --subresource=ephemeralcontainers -p '{"spec":{"ephemeralContainers":[{"name":"e","image":"i"}]}}'
kubectl patch pod p --subresource=resize -p '{"spec":{"containers":[{"name":"p","resources":{"limits":{"cpu":"1"}}}]}}'
kubectl patch pod p --subresource=status --type=merge -p '{"status":{"phase":"Running","podIP":"1.2.3.4","conditions":[{"type":"Ready","status":"True"}]}}'
kubectl get pod p -o wide
kubectl patch ns patch --subresource=finalize --type=merge -p '{}'
kubectl patch ns patch -p '{"metadata":{"labels":{"kubernetes.io/metadata.name":"x"}}}' -o jsonpath='{.metadata.labels}{"\n"}'
