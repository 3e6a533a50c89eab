package kube

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// Watch keeps what a cluster shows. Of every object only what Muster understands
// is kept, so that 10,000 nodes take little room.
type Watch struct {
	options *translate.Options
	nodes   *kept[translate.Node]
	pods    *kept[seenPod]
	quotas  *kept[translate.Quota]
	extras  extras
	devices *deviceWatch
	changed chan struct{} // has room for one: something is new
}

// NewWatch is a watch that has not seen anything yet.
func NewWatch(o *translate.Options) *Watch {
	w := &Watch{options: o, changed: make(chan struct{}, 1)}
	w.nodes = newKept(w.changed, func(of any) (translate.Node, bool) {
		n, ok := of.(*corev1.Node)
		if !ok {
			return translate.Node{}, false
		}
		return translate.NodeOf(n, o), true // its GPUs may be published in slices alone
	})
	w.pods = newKept(w.changed, func(of any) (seenPod, bool) {
		p, ok := of.(*corev1.Pod)
		if !ok {
			return seenPod{}, false
		}
		return seenPodOf(p, o)
	})
	w.quotas = newKept(w.changed, func(of any) (translate.Quota, bool) {
		q, ok := of.(*corev1.ResourceQuota)
		if !ok {
			return translate.Quota{}, false
		}
		return translate.FromResourceQuota(q, o)
	})
	w.extras = newExtras(o, w.changed)
	w.devices = newDeviceWatch(w.changed, o)
	return w
}

// Run watches until ctx ends. A watch that is lost begins again with a list.
func (w *Watch) Run(ctx context.Context, c *Client, quotas bool) {
	var all sync.WaitGroup
	start := func(resource string, kind any, into cache.ReflectorStore) {
		all.Go(func() {
			cache.NewReflectorWithOptions(c.listWatch(resource), kind, into, cache.ReflectorOptions{Name: resource}).RunWithContext(ctx)
		})
	}
	start("nodes", &corev1.Node{}, w.nodes)
	start("pods", &corev1.Pod{}, w.pods)
	if quotas {
		start("resourcequotas", &corev1.ResourceQuota{}, w.quotas)
	} else {
		w.quotas.seen()
	}
	w.extras.run(ctx, c, &all)
	all.Go(func() { w.devices.follow(ctx, c) })
	all.Wait()
}

// Synced says whether everything was listed once.
func (w *Watch) Synced() bool {
	return w.nodes.listed() && w.pods.listed() && w.quotas.listed() && w.devices.settled()
}

func (w *Watch) objects() objects {
	p := objects{nodes: w.nodes.all(), pods: w.gpuPods(), quotas: w.quotas.all()}
	w.devices.count(&p)
	return p
}

// kept is what objects of one kind say, by namespace and name.
type kept[T any] struct {
	read    func(any) (T, bool)
	changed chan<- struct{}
	same    func(was, is T) bool // whether nothing is new that anybody waits for; nil: something always is

	mu    sync.Mutex
	by    map[string]T
	ready bool
}

func newKept[T any](changed chan<- struct{}, read func(any) (T, bool)) *kept[T] {
	return &kept[T]{read: read, changed: changed, by: map[string]T{}}
}

var _ cache.ReflectorStore = (*kept[int])(nil)

// one is what one object says. ok: it is one to keep.
type one[T any] struct {
	key string
	is  T
	ok  bool
}

var _ cache.TransformingStore = (*kept[int])(nil)

// Transformer reads objects while a list of thousands of them is still on its way, so
// that the objects themselves need not be gathered.
func (k *kept[T]) Transformer() cache.TransformFunc {
	return func(of any) (any, error) { return k.one(of) }
}

// one reads an object, or is what was read of it before.
func (k *kept[T]) one(of any) (one[T], error) {
	if was, ok := of.(one[T]); ok {
		return was, nil
	}
	key, err := keyOf(of)
	if err != nil {
		return one[T]{}, err
	}
	is, ok := k.read(of)
	return one[T]{key, is, ok}, nil
}

// Add keeps an object.
func (k *kept[T]) Add(of any) error {
	x, err := k.one(of)
	if err != nil {
		return err
	}
	k.mu.Lock()
	was, had := k.by[x.key]
	if !x.ok && !had || x.ok && k.same != nil && k.same(was, x.is) {
		defer k.mu.Unlock()
	} else {
		defer k.wake()
	}
	if x.ok {
		k.by[x.key] = x.is
	} else {
		delete(k.by, x.key)
	}
	return nil
}

// Update keeps an object as it is now.
func (k *kept[T]) Update(of any) error { return k.Add(of) }

// Delete forgets an object.
func (k *kept[T]) Delete(of any) error {
	key, err := keyOf(of)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.wake()
	delete(k.by, key)
	return nil
}

// Replace keeps these objects and no others.
func (k *kept[T]) Replace(list []any, _ string) error {
	by := make(map[string]T, len(list))
	for _, of := range list {
		x, err := k.one(of)
		if err != nil {
			return err
		}
		if x.ok {
			by[x.key] = x.is
		}
	}
	k.mu.Lock()
	defer k.wake()
	k.by, k.ready = by, true
	return nil
}

// Resync has nothing to do.
func (k *kept[T]) Resync() error { return nil }

func (k *kept[T]) seen() { _ = k.Replace(nil, "") }

func (k *kept[T]) listed() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ready
}

func (k *kept[T]) get(key string) (is T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	is, ok = k.by[key]
	return is, ok
}

func (k *kept[T]) all() []T {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]T, 0, len(k.by))
	for _, v := range k.by {
		out = append(out, v)
	}
	return out
}

// each hands over every object, with its namespace and name. It must not keep the lock waiting.
func (k *kept[T]) each(see func(key string, is T)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, is := range k.by {
		see(key, is)
	}
}

// wake lets go of the lock and tells that something is new.
func (k *kept[T]) wake() {
	k.mu.Unlock()
	select {
	case k.changed <- struct{}{}:
	default:
	}
}

func keyOf(of any) (string, error) {
	o, ok := of.(metav1.Object)
	if !ok {
		return "", fmt.Errorf("kube: %T is no object", of)
	}
	return o.GetNamespace() + "/" + o.GetName(), nil
}

// missing says that the API server does not know what was asked for, or does not
// let us see it.
func missing(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsMethodNotSupported(err)
}
