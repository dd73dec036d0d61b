# kubectl wait, and get --watch.

kubectl create deploy web --image=nginx; kubectl create cm c --from-literal=a=1
kubectl wait deploy/web --for=condition=Available --timeout=1s
(sleep 1; kubectl patch deploy web --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Available","status":"True"}]}}' > /dev/null) & kubectl wait deploy/web --for=condition=Available --timeout=10s; wait
kubectl wait deploy/web --for=condition=Available=false --timeout=1s
kubectl wait deploy/web --for=condition=Available=true
kubectl wait cm/c --for=jsonpath='{.data.a}'=1
kubectl wait cm/c --for=jsonpath='{.data.a}'=2 --timeout=1s
kubectl wait cm/c --for=jsonpath='{.data.b}' --timeout=1s
(sleep 1; kubectl patch cm c --type=merge -p '{"data":{"b":"x"}}' > /dev/null) & kubectl wait cm/c --for=jsonpath='{.data.b}' --timeout=10s; wait
kubectl wait cm/nothing --for=jsonpath='{.data.a}'=1 --timeout=1s
kubectl wait cm/nothing --for=create --timeout=1s
(sleep 1; kubectl create cm later > /dev/null) & kubectl wait cm/later --for=create --timeout=10s; wait
kubectl wait cm/nothing --for=delete
(sleep 1; kubectl delete cm later > /dev/null) & kubectl wait cm/later --for=delete --timeout=10s; wait
kubectl wait cm/c --for=delete --timeout=1s
kubectl wait cm --all --for=jsonpath='{.metadata.name}'=c
kubectl wait cm -l none=none --for=delete
kubectl wait cm -l none=none --for=condition=Ready
kubectl wait cm --for=condition=Ready
kubectl wait cm/c
kubectl wait pod,deploy --all --for=condition=Available
kubectl wait ns/wait --for=jsonpath='{.status.phase}'=Active
timeout 2 kubectl get cm -w
(sleep 1; kubectl create cm w1; kubectl label cm w1 a=b; kubectl delete cm w1) > /dev/null & timeout 4 kubectl get cm --watch-only --output-watch-events; wait
(sleep 1; kubectl create cm w2; kubectl label cm w2 a=b; kubectl delete cm w2) > /dev/null & timeout 4 kubectl get cm w2 -w -o name; wait
(sleep 1; kubectl create cm w3; kubectl label cm w3 a=b; kubectl label cm w3 a=c --overwrite; kubectl delete cm w3) > /dev/null & timeout 4 kubectl get cm -l a=b --watch-only --output-watch-events -o custom-columns=N:.metadata.name,L:.metadata.labels; wait
(sleep 1; kubectl create cm w4; kubectl delete cm w4) > /dev/null & timeout 4 kubectl get cm --field-selector metadata.name=w4 --watch-only -o json; wait
(sleep 1; kubectl create cm w5; kubectl delete cm w5) > /dev/null & timeout 4 kubectl get cm,deploy --watch-only; wait
(sleep 1; kubectl scale deploy web --replicas=3; kubectl run p --image=x; kubectl delete pod p --now) > /dev/null & timeout 4 kubectl get deploy --watch-only -o wide; wait
(sleep 1; kubectl create cm w6; kubectl delete cm w6) > /dev/null & timeout 4 kubectl get cm --watch-only -A --field-selector metadata.namespace=wait -o yaml; wait
kubectl get cm -w --request-timeout=2s
