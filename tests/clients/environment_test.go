// Package clients drives Fairlead with the unmodified Go client libraries. The program is found in $FAIRLEAD_BIN, a
// folder with kube-apiserver and etcd (links to it); run.py sets it.
package clients

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// One environment for all tests of the package: envtest starts etcd and kube-apiserver with its own flags.
var (
	environment *envtest.Environment
	config      *rest.Config
)

func TestMain(m *testing.M) {
	bin := os.Getenv("FAIRLEAD_BIN")
	if bin == "" {
		fmt.Println("FAIRLEAD_BIN is not set")
		os.Exit(1)
	}
	environment = newEnvironment(bin)
	var err error
	begin := time.Now()
	if config, err = environment.Start(); err != nil {
		fmt.Println("envtest does not start:", err)
		os.Exit(1)
	}
	fmt.Println("envtest started after", time.Since(begin).Round(time.Millisecond))
	config.QPS, config.Burst = 1000, 1000
	code := m.Run()
	if err := environment.Stop(); err != nil {
		fmt.Println("envtest does not stop:", err)
		code = 1
	}
	os.Exit(code)
}

func newEnvironment(bin string) *envtest.Environment {
	return &envtest.Environment{
		BinaryAssetsDirectory:    bin,
		ControlPlaneStartTimeout: time.Minute,
		ControlPlaneStopTimeout:  time.Minute,
		AttachControlPlaneOutput: os.Getenv("FAIRLEAD_OUTPUT") != "",
	}
}

func clientset(t *testing.T, change ...func(*rest.Config)) *kubernetes.Clientset {
	t.Helper()
	copied := rest.CopyConfig(config)
	for _, each := range change {
		each(copied)
	}
	made, err := kubernetes.NewForConfig(copied)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func protobuf(c *rest.Config) { c.ContentType = "application/vnd.kubernetes.protobuf" }

// A namespace for one test.
func namespace(t *testing.T, client kubernetes.Interface) string {
	t.Helper()
	made, err := client.CoreV1().Namespaces().Create(context.Background(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made.Name
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: map[string]string{"name": name}}
}

// Waits for the condition; fails the test after half a minute.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatal("still not: " + what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
