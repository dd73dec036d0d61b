package clients

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/pager"
)

var mapsResource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// Chunks of a list are of one version, whatever is written between them.
func TestPaginationIsConsistent(t *testing.T) {
	for name, change := range map[string]func(*rest.Config){"json": func(*rest.Config) {}, "protobuf": protobuf} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			client := clientset(t, change)
			maps := client.CoreV1().ConfigMaps(namespace(t, client))
			for i := range 25 {
				if _, err := maps.Create(ctx, configMap(fmt.Sprintf("m-%02d", i), nil), metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			first, err := maps.List(ctx, metav1.ListOptions{Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			if len(first.Items) != 10 || first.RemainingItemCount == nil || *first.RemainingItemCount != 15 {
				t.Fatalf("%d items, %v remain", len(first.Items), first.RemainingItemCount)
			}
			if err := maps.Delete(ctx, "m-20", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			second, err := maps.List(ctx, metav1.ListOptions{Limit: 100, Continue: first.Continue})
			if err != nil {
				t.Fatal(err)
			}
			if len(second.Items) != 15 || second.ResourceVersion != first.ResourceVersion {
				t.Errorf("%d items at %s, after %s", len(second.Items), second.ResourceVersion, first.ResourceVersion)
			}
		})
	}
}

func TestPager(t *testing.T) {
	ctx := context.Background()
	client := clientset(t)
	maps := client.CoreV1().ConfigMaps(namespace(t, client))
	for i := range 7 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("m-%d", i), nil), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return maps.List(ctx, options)
	})
	pages.PageSize = 3
	count := 0
	if err := pages.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error { count++; return nil }); err != nil {
		t.Fatal(err)
	}
	if count != 7 {
		t.Errorf("%d items", count)
	}
}

// A watch goes on from the version of a list without a gap, and selects.
func TestWatchFromAList(t *testing.T) {
	for name, change := range map[string]func(*rest.Config){"json": func(*rest.Config) {}, "protobuf": protobuf} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			client := clientset(t, change)
			maps := client.CoreV1().ConfigMaps(namespace(t, client))
			list, err := maps.List(ctx, metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := maps.Create(ctx, configMap("early", map[string]string{"x": "y"}), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			watcher, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, LabelSelector: "x=y"})
			if err != nil {
				t.Fatal(err)
			}
			defer watcher.Stop()
			if _, err := maps.Create(ctx, configMap("other", nil), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			early, err := maps.Get(ctx, "early", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			early.Labels = nil // leaves the selection
			if _, err := maps.Update(ctx, early, metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
			for _, want := range []watch.EventType{watch.Added, watch.Deleted} {
				event := <-watcher.ResultChan()
				if event.Type != want || event.Object.(metav1.Object).GetName() != "early" {
					t.Errorf("%s of %v, want %s of early", event.Type, event.Object, want)
				}
			}
		})
	}
}

func TestOptimisticConcurrency(t *testing.T) {
	ctx := context.Background()
	client := clientset(t)
	maps := client.CoreV1().ConfigMaps(namespace(t, client))
	first, err := maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Create(ctx, configMap("a", nil), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("created twice: %v", err)
	}
	second := first.DeepCopy()
	second.Data["by"] = "second"
	if _, err := maps.Update(ctx, second, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	first.Data["by"] = "first"
	if _, err := maps.Update(ctx, first, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v", err)
	}
}

func TestDynamicAndMetadataClients(t *testing.T) {
	ctx := context.Background()
	ns := namespace(t, clientset(t))
	untyped, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"k": "v"},
	}}
	if _, err := untyped.Resource(mapsResource).Namespace(ns).Create(ctx, object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	partial, err := metadata.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := partial.Resource(mapsResource).Namespace(ns).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Name != "a" {
		t.Errorf("%v", list.Items)
	}
}

// Discovery is whole: every group version resolves and the mapper knows kinds and short names.
func TestDiscovery(t *testing.T) {
	client := clientset(t)
	_, resources, err := client.Discovery().ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, list := range resources {
		count += len(list.APIResources)
	}
	if count < 59 {
		t.Errorf("%d resources", count)
	}
	groups, err := restmapper.GetAPIGroupResources(client.Discovery())
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	if err != nil || mapping.Resource.Resource != "deployments" {
		t.Errorf("%v, %v", mapping, err)
	}
	if _, err := client.Discovery().OpenAPISchema(); err != nil {
		t.Errorf("OpenAPI v2: %v", err)
	}
	if paths, err := client.Discovery().OpenAPIV3().Paths(); err != nil || len(paths) < 20 {
		t.Errorf("OpenAPI v3: %d paths, %v", len(paths), err)
	}
}
