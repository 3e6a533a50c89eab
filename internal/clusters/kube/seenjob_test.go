package kube

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

// targetJob is a Job of so many pods with a target.
func targetJob(name, uid string, pods int32) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "oak", Name: name, UID: types.UID(uid)},
		Spec: batchv1.JobSpec{Parallelism: &pods, Completions: &pods, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{translate.LabelTarget: "oak"}},
		}},
	}
}

// The watch says how many pods a Job makes, so that no call is made for each Job; another
// Job of that name says nothing of them.
func TestTheWatchSaysHowManyPodsAJobMakes(t *testing.T) {
	o := translate.Defaults("tiger")
	w := NewWatch(&o)
	if err := w.extras.jobs.Add(targetJob("train", "one", 500)); err != nil {
		t.Fatal(err)
	}
	of := func(kind, name, uid string) *translate.Pod {
		return &translate.Pod{Namespace: o.Called("oak"), Owner: translate.Owner{Kind: kind, Name: name, UID: uid}}
	}
	if is, ok := w.extras.makerOf(of("Job", "train", "one")); !ok || is.size != 500 {
		t.Errorf("it makes %d pods, %v", is.size, ok)
	}
	for _, p := range []*translate.Pod{of("Job", "train", "two"), of("Job", "other", "one"), of("JobSet", "train", "one")} {
		if _, ok := w.extras.makerOf(p); ok {
			t.Errorf("the Job stands for %+v", p.Owner)
		}
	}
	if err := w.extras.jobs.Delete(targetJob("train", "one", 500)); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.extras.makerOf(of("Job", "train", "one")); ok {
		t.Error("a Job that is gone stands for its pods")
	}
}

// Muster looks again where something is new that no pod will say: not for each state of a Job.
func TestAJobWakesOnlyForWhatIsNew(t *testing.T) {
	o := translate.Defaults("tiger")
	w := NewWatch(&o)
	wakes := func(job *batchv1.Job) bool {
		t.Helper()
		if err := w.extras.jobs.Add(job); err != nil {
			t.Fatal(err)
		}
		select {
		case <-w.changed:
			return true
		default:
			return false
		}
	}
	strange := targetJob("strange", "s", 1)
	strange.Spec.Template.Labels = nil
	running := targetJob("train", "one", 4)
	running.Status.Active = 4
	ended := targetJob("train", "one", 4)
	ended.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	for _, c := range []struct {
		what string
		job  *batchv1.Job
		want bool
	}{
		{"a Job without a target", strange, false},
		{"a Job whose pods come by themselves", targetJob("train", "one", 4), false},
		{"its pods are active", running, false},
		{"it makes more of them", targetJob("train", "one", 8), true},
		{"it has ended", ended, true},
	} {
		if got := wakes(c.job); got != c.want {
			t.Errorf("%s: woken %v, want %v", c.what, got, c.want)
		}
	}
	suspended := targetJob("late", "two", 4)
	yes, gpus := true, corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	suspended.Spec.Suspend = &yes
	suspended.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Requests: gpus, Limits: gpus}}}
	if woken, shown := wakes(suspended), len(w.extras.suspendable()); !woken || shown != 1 {
		t.Errorf("a Job that Muster starts: woken %v, %d such Jobs", woken, shown)
	}
}
