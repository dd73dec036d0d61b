package clients

import (
	"context"
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/features"
	clientfeaturestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// What an informer tells its handler, in order, by name.
type record struct {
	mutex  sync.Mutex
	events map[string][]string
}

func (r *record) add(kind string, object any) {
	if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	name := object.(*corev1.ConfigMap).Name
	r.events[name] = append(r.events[name], kind)
}

func (r *record) of(name string) string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return fmt.Sprint(r.events[name])
}

// An informer sees what was there, every change after that, and ends equal to the server.
func TestInformer(t *testing.T) {
	for _, watchList := range []bool{false, true} {
		for name, change := range map[string]func(*rest.Config){"json": func(*rest.Config) {}, "protobuf": protobuf} {
			t.Run(fmt.Sprintf("watchlist=%v/%s", watchList, name), func(t *testing.T) {
				clientfeaturestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
				testInformer(t, change)
			})
		}
	}
}

func testInformer(t *testing.T, change func(*rest.Config)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := clientset(t, change)
	ns := namespace(t, client)
	maps := client.CoreV1().ConfigMaps(ns)
	for i := range 20 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("before-%02d", i), nil), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	seen := &record{events: map[string][]string{}}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(ns))
	informer := factory.Core().V1().ConfigMaps().Informer()
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { seen.add("add", o) },
		UpdateFunc: func(_, o any) { seen.add("update", o) },
		DeleteFunc: func(o any) { seen.add("delete", o) },
	})
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("no sync")
	}
	if n := len(informer.GetStore().List()); n != 20 {
		t.Errorf("%d objects after sync", n)
	}
	made, err := maps.Create(ctx, configMap("after", nil), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	made.Data["more"] = "1"
	if _, err := maps.Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := maps.Delete(ctx, "after", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "add, update and delete seen", func() bool { return seen.of("after") == "[add update delete]" })
	if got := seen.of("before-00"); got != "[add]" {
		t.Errorf("an object that was there before: %s", got)
	}
}
