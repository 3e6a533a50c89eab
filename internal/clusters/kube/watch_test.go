package kube

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// However objects come, one by one or as a list that was read on its way, the same is kept.
func TestAListIsKeptAsItsObjectsAre(t *testing.T) {
	o := translate.Defaults("tiger")
	singly, listed, read := NewWatch(&o), NewWatch(&o), NewWatch(&o)
	var raw, gone []any
	for i := range 20 {
		p := bigPod(i)
		if i%5 == 0 {
			p.Spec.Containers[0].Resources = corev1.ResourceRequirements{} // it asks for no GPU
		}
		raw = append(raw, p)
		gone = append(gone, gathered(t, read.pods.Transformer(), p))
		if err := singly.pods.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	for w, list := range map[*Watch][]any{listed: raw, read: gone} {
		if err := w.pods.Replace(list, ""); err != nil {
			t.Fatal(err)
		}
		if len(w.pods.by) != 16 || !reflect.DeepEqual(w.pods.by, singly.pods.by) {
			t.Errorf("%d are kept, and one by one %d", len(w.pods.by), len(singly.pods.by))
		}
	}
	if err := read.pods.Delete(bigPod(1)); err != nil || len(read.pods.by) != 15 {
		t.Errorf("%d are kept after one has gone: %v", len(read.pods.by), err)
	}
	if err := read.pods.Add(42); err == nil {
		t.Error("what is no object is kept")
	}
}
