# Nodes that nobody runs: taints, cordon, drain and top.

for n in 1 2; do kubectl create -f - <<< '{"apiVersion":"v1","kind":"Node","metadata":{"name":"nodes-'$n'","labels":{"zone":"z'$n'","node-role.kubernetes.io/worker":""}},"spec":{"podCIDR":"10.1.'$n'.0/24"}}'; done
kubectl patch node nodes-1 --subresource=status --type=merge -p '{"status":{"capacity":{"cpu":"4","memory":"8Gi","pods":"110"},"allocatable":{"cpu":"3900m","memory":"7Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":"ok"}],"addresses":[{"type":"InternalIP","address":"10.2.0.1"},{"type":"Hostname","address":"nodes-1"}],"nodeInfo":{"kubeletVersion":"v1.32.5","osImage":"Debian","kernelVersion":"6.1","containerRuntimeVersion":"containerd://1.7","architecture":"amd64","operatingSystem":"linux","machineID":"m","systemUUID":"s","bootID":"b","kubeProxyVersion":"v1.32.5"}}}'
kubectl get nodes
kubectl get nodes -o wide
kubectl get nodes -L zone --show-labels
kubectl taint node nodes-1 a=b:NoSchedule
kubectl taint node nodes-1 a=b:NoSchedule
kubectl taint node nodes-1 a=c:NoSchedule
kubectl taint node nodes-1 a=c:NoSchedule --overwrite
kubectl taint node nodes-1 a=c:NoExecute b:PreferNoSchedule
kubectl taint node nodes-1 a:NoSchedule-
kubectl taint node nodes-1 a-
kubectl taint node nodes-1 nothing-
kubectl taint node nodes-1 a=b:Never
kubectl taint node nodes-1 'bad key=b:NoSchedule'
kubectl taint nodes --all x=y:NoSchedule
kubectl taint nodes -l zone=z2 z=y:NoSchedule
kubectl taint node nothing a=b:NoSchedule
kubectl taint node nodes-1 d=e:NoSchedule --dry-run=server -o jsonpath='{.spec.taints}{"\n"}'
kubectl describe node nodes-1
kubectl describe node nodes-2
kubectl cordon nodes-1
kubectl cordon nodes-1
kubectl cordon nothing
kubectl cordon -l zone=z2 --dry-run=server
kubectl get nodes
kubectl uncordon nodes-1
kubectl uncordon nodes-1
kubectl create -f - <<END
apiVersion: v1
kind: Pod
metadata: {name: bare, labels: {app: bare}}
spec: {nodeName: nodes-1, containers: [{name: c, image: i}], terminationGracePeriodSeconds: 0}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: rs}
spec: {replicas: 1, selector: {matchLabels: {app: rs}}, template: {metadata: {labels: {app: rs}}, spec: {containers: [{name: rs, image: rs}]}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ds}
spec: {selector: {matchLabels: {app: ds}}, template: {metadata: {labels: {app: ds}}, spec: {containers: [{name: ds, image: ds}]}}}
END
for kind in ReplicaSet/rs DaemonSet/ds; do uid=$(kubectl get $kind -o jsonpath='{.metadata.uid}'); sed "s/UID/$uid/;s/KIND/${kind%/*}/;s/NAME/${kind#*/}/g" <<END | kubectl create -f -; done
apiVersion: v1
kind: Pod
metadata:
  name: NAME-1
  labels: {app: NAME}
  ownerReferences: [{apiVersion: apps/v1, kind: KIND, name: NAME, uid: UID, controller: true}]
spec: {nodeName: nodes-1, containers: [{name: c, image: i, resources: {requests: {cpu: 100m, memory: 64Mi}, limits: {cpu: 200m}}}], volumes: [{name: v, emptyDir: {}}], terminationGracePeriodSeconds: 0}
END
kubectl get pods -o wide --field-selector spec.nodeName=nodes-1
kubectl describe node nodes-1
kubectl drain nodes-1 --timeout=5s 2>&1 | grep -v '^error' | sort
kubectl drain nodes-1 --ignore-daemonsets --timeout=5s 2>&1 | grep -v '^error' | sort
kubectl drain nodes-1 --ignore-daemonsets --delete-emptydir-data --dry-run=server
kubectl drain nodes-1 --ignore-daemonsets --delete-emptydir-data --force --dry-run=client 2>&1 | sed 's/Warning: //' | tr ';' '\n' | sed 's/^ //' | sort
kubectl drain nodes-1 --ignore-daemonsets --pod-selector=app=none
kubectl create pdb none --selector=app=rs --max-unavailable=0; kubectl wait pdb/none --for=jsonpath='{.status.observedGeneration}'=1 --timeout=20s
kubectl drain nodes-1 --ignore-daemonsets --delete-emptydir-data --timeout=2s --pod-selector=app=rs 2>&1 | sort -u
kubectl delete pdb none
kubectl drain nodes-1 --ignore-daemonsets --delete-emptydir-data --force --timeout=20s 2>&1 | sed 's/Warning: //' | tr ';' '\n' | sed 's/^ //' | sort
kubectl drain nodes-2 --disable-eviction
kubectl drain nothing
kubectl get pods
kubectl top node
kubectl top pod
kubectl top pod x --containers
kubectl debug node/nodes-1 --image=busybox -- true 2>&1 | sed 's/debugger-nodes-1-[a-z0-9]*/debugger-x/'
kubectl delete node nodes-1 nodes-2
