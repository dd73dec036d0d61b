# Manifests with mistakes, under each kind of validation.

cat > unknown.yaml <<END
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labelz: {a: b}}
nonsense: 1
spec:
  replicaz: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, imagee: x, ports: [{containerPort: 80, hostsPort: 1}]}]}
END
kubectl create -f unknown.yaml
kubectl create -f unknown.yaml --validate=strict
kubectl create -f unknown.yaml --validate=true
kubectl create -f unknown.yaml --validate=warn
kubectl replace -f unknown.yaml --validate=ignore
kubectl replace -f unknown.yaml --validate=false
kubectl replace -f unknown.yaml --validate=warn
kubectl apply -f unknown.yaml
kubectl apply -f unknown.yaml --validate=warn
kubectl apply -f unknown.yaml --validate=ignore
kubectl create -f unknown.yaml --validate=other
kubectl create -f unknown.yaml --dry-run=server --validate=warn
kubectl create -f unknown.yaml --dry-run=client
cat > twice.yaml <<END
apiVersion: v1
kind: ConfigMap
metadata: {name: twice}
data:
  a: "1"
  a: "2"
END
kubectl create -f twice.yaml
kubectl create -f twice.yaml --validate=warn
kubectl apply -f twice.yaml --validate=ignore
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t"},"data":{"a":"1","a":"2"},"unknown":{},"unknown":[]}'
kubectl create --validate=warn -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t"},"data":{"a":"1","a":"2"},"unknown":{},"unknown":[]}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t2"},"data":{"a":1}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t2"},"data":[]}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":[]}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":5}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap"}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":""}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":1}}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","creationTimestamp":"yesterday"}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","ownerReferences":[{"name":"x"}]}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"configmap","metadata":{"name":"a"}}'
kubectl create -f - <<< '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"a"}}'
kubectl create -f - <<< '{"apiVersion":"v1","metadata":{"name":"a"}}'
kubectl create -f - <<< '[]'
kubectl create -f - <<< '"x"'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[]}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"A b","image":"","imagePullPolicy":"X","ports":[{"containerPort":0,"protocol":"x"}],"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"2"}},"volumeMounts":[{"name":"v","mountPath":""}]}],"restartPolicy":"Maybe","dnsPolicy":"Own","volumes":[{"name":"w"},{"name":"w","emptyDir":{},"hostPath":{"path":"/"}}]}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i","env":[{"name":"1 2"},{"valueFrom":{}}],"livenessProbe":{"httpGet":{"path":"/","port":0}},"readinessProbe":{"periodSeconds":-1}},{"name":"a","image":"i"}]}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i","ports":"80"}]}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"i","resources":{"limits":{"cpu":"lots"}}}]}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Service","metadata":{"name":"1s"},"spec":{"type":"X","ports":[{"port":0},{"port":1,"name":"A"}]}}'
kubectl create -f - <<< '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"c":"d"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
kubectl create -f - <<< '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":1}},"selector":{},"template":{}}}'
kubectl create -f - <<< '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j"},"spec":{"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
kubectl create -f - <<< '{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"j"},"spec":{"schedule":"* * *","concurrencyPolicy":"X","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}'
kubectl create -f - <<< '{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"i"},"spec":{}}'
kubectl create -f - <<< '{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"name":"i"},"spec":{"rules":[{"host":"1.2.3.4","http":{"paths":[{"path":"x","backend":{}}]}}]}}'
kubectl create -f - <<< '{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{"name":"n"},"spec":{"podSelector":{},"policyTypes":["X"],"ingress":[{"ports":[{"port":99999}]}]}}'
kubectl create -f - <<< '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"n"},"roleRef":{"kind":"X"},"subjects":[{"kind":"User"}]}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"n"},"spec":{}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"n"},"spec":{}}'
kubectl create -f - <<< '{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"n"}}'
kubectl create -f - <<< '{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"n"},"spec":{"maxReplicas":0}}'
kubectl create -f - <<< '{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"n"},"webhooks":[{"name":"x"}]}'
kubectl create -f - <<< '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"n"},"spec":{"group":"x"}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"n"},"data":{"a":"not base64!"}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"n"},"type":"kubernetes.io/tls"}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"n"},"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"eA=="}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"n"},"spec":{"limits":[{"type":"Pod","default":{"cpu":"1"}}]}}'
kubectl create -f - <<< '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"ok"}},{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"Not"}},{"apiVersion":"v1","kind":"None","metadata":{"name":"x"}}]}'
kubectl apply -f - <<END
apiVersion: v1
kind: Pod
metadata: {name: dep, annotations: {seccomp.security.alpha.kubernetes.io/pod: runtime/default}}
spec: {nodeSelector: {beta.kubernetes.io/os: linux}, containers: [{name: a, image: i, resources: {limits: {memory: 100m}}, env: [{name: X, value: a}, {name: X, value: b}]}]}
END
kubectl label pod dep a=b
kubectl label pod dep a=c --overwrite --warnings-as-errors
kubectl get pod dep --warnings-as-errors
kubectl get componentstatuses --warnings-as-errors > /dev/null
kubectl get endpoints --warnings-as-errors
