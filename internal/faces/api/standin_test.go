package api_test

import (
	"fmt"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// How much of flex a namespace holds, and how many of its workloads wait, is told to who may read its work. To others it
// is as a namespace that nothing was ever submitted into, also where one is called as the stand-in.
func TestFlexOfANamespaceIsToldToItsReaders(t *testing.T) {
	h := guarded(t, func(o *api.Options) { o.MostWaiting = 100 })
	for _, namespace := range []string{"elm", "newcomer"} {
		for i := range 3 {
			spec := gang(fmt.Sprintf("secret-%d", i), "flex", 4)
			spec.Namespace = namespace
			h.submit(spec)
		}
	}
	asked := func(token, namespace string) (flex, fits string) {
		c := h.as(token, "")
		usable, err := c.Capacity.Usable(t.Context(), &musterv1.UsableRequest{Namespace: namespace})
		must(t, err)
		fit, err := c.Workloads.Fit(t.Context(), &musterv1.FitRequest{Spec: &musterv1.FitSpec{Namespace: namespace, Target: "flex", Pools: []*musterv1.Pool{{Name: "w", Gpus: 8, Replicas: 2}}}})
		must(t, err)
		return fmt.Sprint(usable.GetFlex()), fmt.Sprint(fit.GetPlaces())
	}
	const bob = "bob-token-0123456789abcdef"
	flex, fits := asked(bob, "nothing")
	for _, namespace := range []string{"elm", "newcomer"} {
		if f, p := asked(bob, namespace); f != flex || p != fits {
			t.Errorf("of %s it is said %s\n%s\nand of one that is not there %s\n%s", namespace, f, p, flex, fits)
		}
	}
	if f, p := asked("ops-token-0123456789abcdef", "elm"); f == flex || p == fits || !strings.Contains(f, "holds:") {
		t.Errorf("an operator is told %s\n%s", f, p)
	}
}
