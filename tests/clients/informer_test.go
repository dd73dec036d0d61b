package clients

import (
	_ "k8s.io/client-go/kubernetes"
	_ "sigs.k8s.io/controller-runtime/pkg/envtest"
	_ "k8s.io/client-go/tools/leaderelection"
	_ "k8s.io/client-go/dynamic"
	_ "k8s.io/client-go/discovery"
	_ "sigs.k8s.io/controller-runtime/pkg/client"
)
