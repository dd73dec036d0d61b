package clients

import (
	"context"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// A second environment beside the package's own starts, serves, and stops without anything left behind.
func TestEnvtestStartsAndStops(t *testing.T) {
	second := newEnvironment(os.Getenv("FAIRLEAD_BIN"))
	config, err := second.Start()
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	version, err := client.Discovery().ServerVersion()
	if err != nil || version.Major != "1" || version.Minor != "32" {
		t.Errorf("version %v, %v", version, err)
	}
	if _, err := client.CoreV1().Namespaces().Get(context.Background(), "kube-system", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if err := second.Stop(); err != nil {
		t.Error(err)
	}
}

// Users that envtest makes have client certificates of its own authority.
func TestEnvtestAddsUsers(t *testing.T) {
	user, err := environment.AddUser(envtest.User{Name: "someone", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(user.Config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Nodes().List(context.Background(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}

func TestControllerRuntimeClient(t *testing.T) {
	ctx := context.Background()
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ns := namespace(t, clientset(t))
	object := configMap("a", map[string]string{"x": "y"})
	object.Namespace = ns
	if err := c.Create(ctx, object); err != nil {
		t.Fatal(err)
	}
	object.Data["more"] = "1"
	if err := c.Update(ctx, object); err != nil {
		t.Fatal(err)
	}
	var list corev1.ConfigMapList
	if err := c.List(ctx, &list, client.InNamespace(ns), client.MatchingLabels{"x": "y"}); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Data["more"] != "1" {
		t.Errorf("listed %v", list.Items)
	}
	if err := c.Delete(ctx, object); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("after delete: %v", err)
	}
}
