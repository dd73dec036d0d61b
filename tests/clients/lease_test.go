package clients

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// One of two candidates leads; when it lets go, the other one does.
func TestLeaderElection(t *testing.T) {
	client := clientset(t)
	ns := namespace(t, client)
	leads := make(chan string, 2)
	run := func(ctx context.Context, name string) {
		lock, err := resourcelock.New(resourcelock.LeasesResourceLock, ns, "lock", client.CoreV1(), client.CoordinationV1(),
			resourcelock.ResourceLockConfig{Identity: name})
		if err != nil {
			t.Error(err)
			return
		}
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, ReleaseOnCancel: true,
			LeaseDuration: 2 * time.Second, RenewDeadline: time.Second, RetryPeriod: 100 * time.Millisecond,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leads <- name },
				OnStoppedLeading: func() {},
			},
		})
	}
	first, letGo := context.WithCancel(context.Background())
	second, end := context.WithCancel(context.Background())
	defer end()
	go run(first, "first")
	if name := <-leads; name != "first" {
		t.Fatal(name)
	}
	go run(second, "second")
	letGo()
	select {
	case name := <-leads:
		if name != "second" {
			t.Error(name)
		}
	case <-time.After(30 * time.Second):
		t.Error("nobody leads")
	}
}
