package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

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
	}, nil)
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

// A list of evicted work says when each was evicted last, and for whom.
func TestAListOfEvictedWorkSaysForWhomAndWhen(t *testing.T) {
	at := timestamppb.New(noonNow().Add(-time.Hour))
	n := &names{jobs: map[uint64]string{5: "elm/base"}}
	records := []*musterv1.Record{
		{At: timestamppb.New(noonNow().Add(-2 * time.Hour)), Events: []*musterv1.Event{{Kind: "replicas.evicted", Data: `{"id":4,"for":9}`}}},
		{At: at, Events: []*musterv1.Event{{Kind: "replicas.evicted", Data: `{"id":4,"for":5,"class":"borrowing"}`}}},
	}
	o := &jobListOptions{app: &app{Env: &Env{Now: noonNow}}, evicted: true}
	tab := o.table([]*musterv1.Workload{{Id: 4, Spec: &musterv1.WorkloadSpec{Namespace: "oak", Name: "lost"}, State: "pending", Evictions: 2}}, n.evictions(records))
	if got := shown(tab, false); !strings.Contains(got, "LAST") || !strings.Contains(got, "elm/base  borrowing") {
		t.Errorf("%s", got)
	}
	o.evicted = false
	if got := shown(o.table(nil, nil), true); strings.Contains(got, "LAST") {
		t.Errorf("%s", got)
	}
}
