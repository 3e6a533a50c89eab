package cli

import (
	"bytes"
	"strings"
	"testing"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Where less is free than a namespace's share, it is told what it may have beyond: others above their share give way.
func TestWhatAShareGivesBeyondFreeRoomIsSaid(t *testing.T) {
	if got := beyondFree(&musterv1.UsableFlex{Share: 14, Holds: 4}); !strings.HasPrefix(got, " It may have up to 10 GPUs more, also where fewer are free: ") {
		t.Errorf("nothing is free: %q", got)
	}
	for _, f := range []*musterv1.UsableFlex{{Share: 14, Holds: 4, Free: 10}, {Share: 4, Holds: 14}} {
		if got := beyondFree(f); got != "" {
			t.Errorf("%v: %q", f, got)
		}
	}
}

// What is free in a quota counts the room of flex work, and that is said where a quota is listed.
func TestFreeOfAQuotaCountsFlex(t *testing.T) {
	said := func(quotas ...*musterv1.UsableQuota) string {
		var b bytes.Buffer
		(&page{Writer: &b}).counted(quotas)
		return b.String()
	}
	if got := said(&musterv1.UsableQuota{}); !strings.Contains(got, "count the GPUs on which flex work stands") || said() != "" {
		t.Errorf("it says %q, and without quotas %q", got, said())
	}
}

// People read in one column why work waits or has failed; programs read two.
func TestWhyWorkWaitsOrFailedIsOneColumnForPeople(t *testing.T) {
	o := &jobListOptions{app: &app{Env: &Env{Now: noonNow}}}
	tab := o.table([]*musterv1.Workload{
		{Spec: &musterv1.WorkloadSpec{Namespace: "oak", Name: "lost"}, State: "failed", FailureCause: "infra", FailureNode: "n7"},
		{Spec: &musterv1.WorkloadSpec{Namespace: "oak", Name: "late"}, State: "pending", Reason: "Behind"},
	})
	if got := shown(tab, false); !strings.Contains(got, "node n7") || !strings.Contains(got, "Behind") || strings.Contains(got, "FAILED BY") {
		t.Errorf("people read\n%s", got)
	}
	var b bytes.Buffer
	if err := tab.csv(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "oak/lost,failed,,node n7,") || !strings.Contains(got, "oak/late,pending,Behind,,") {
		t.Errorf("programs read\n%s", got)
	}
}
