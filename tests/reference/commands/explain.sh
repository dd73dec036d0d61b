# kubectl explain. What it says about a field in words is our own; the fields and their types are not.

kubectl explain pods
kubectl explain pods.spec
kubectl explain pods.spec.containers
kubectl explain pods.spec.containers.resources
kubectl explain pod.spec.containers.livenessProbe.httpGet.port
kubectl explain pods.metadata.labels
kubectl explain pods.metadata.managedFields
kubectl explain deploy --recursive
kubectl explain deploy.spec.strategy.rollingUpdate
kubectl explain deploy.spec.template.spec.volumes --recursive
kubectl explain pod.spec.nothing
kubectl explain nothings
kubectl explain pods --api-version=v2
kubectl explain hpa --api-version=autoscaling/v1
kubectl explain hpa --api-version=autoscaling/v2 --recursive
kubectl explain events --api-version=events.k8s.io/v1
kubectl explain events
kubectl explain pods --output=plaintext-openapiv2
kubectl explain pods.spec.containers --output=plaintext-openapiv2 --recursive
kubectl explain cm --output=plaintext-openapiv2
kubectl explain cm --output=other
kubectl explain cm.data
kubectl explain cm.binaryData
kubectl explain secret.type
kubectl explain svc.spec.type
kubectl explain svc.spec.ports
kubectl explain networkpolicy.spec.ingress.from.ipBlock
kubectl explain crd.spec.versions.schema --recursive
kubectl explain clusterrole.rules
kubectl explain pv.spec --recursive
kubectl explain pod.status --recursive
kubectl explain pod.spec.restartPolicy
kubectl explain quota.spec.hard
for kind in $(kubectl api-resources -o name --verbs=get); do kubectl explain $kind --recursive; done
for kind in $(kubectl api-resources -o name --verbs=create); do kubectl explain $kind --output=plaintext-openapiv2; done
