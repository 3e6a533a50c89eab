package api_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/decide/core"
)

// Each refusal comes with its code, its figures and the code of the protocol that fits it.
func TestRefusalsSayWhatIsWrong(t *testing.T) {
	h := furnished(t)
	h.submit(gang("taken", "flex", 1))
	cases := []struct {
		what string
		do   func(context.Context) error
		code string
		wire connect.Code
		says string
	}{
		{"a quota that is not there", func(ctx context.Context) error {
			_, err := h.Workloads.Submit(ctx, &musterv1.SubmitRequest{Spec: gang("a", "research/nobody", 1)})
			return err
		}, client.NoSuchQuota, connect.CodeNotFound, "research/nobody"},
		{"a partition that is not there", func(ctx context.Context) error {
			_, err := h.Capacity.Capacity(ctx, &musterv1.CapacityRequest{Scope: "lion"})
			return err
		}, client.NoSuchPartition, connect.CodeNotFound, "tiger/h200"},
		{"a name that is taken", func(ctx context.Context) error {
			_, err := h.Workloads.Submit(ctx, &musterv1.SubmitRequest{Spec: gang("taken", "flex", 1)})
			return err
		}, client.NameTaken, connect.CodeAlreadyExists, "taken"},
		{"more than can be promised", func(ctx context.Context) error {
			_, err := h.Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 112})
			return err
		}, client.Overpromise, connect.CodeFailedPrecondition, "104"},
		{"a part of a node", func(ctx context.Context) error {
			_, err := h.Quotas.SetGrant(ctx, &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 32, Gang: proto.Int32(12)})
			return err
		}, client.NotWholeNodes, connect.CodeFailedPrecondition, "12"},
		{"a workload that is not there", func(ctx context.Context) error {
			_, err := h.Workloads.Why(ctx, &musterv1.WhyRequest{Namespace: "oak", Name: "ghost"})
			return err
		}, client.NoSuchWorkload, connect.CodeNotFound, "oak/ghost"},
		{"another size of a gang that stands", func(ctx context.Context) error {
			_, err := h.Workloads.Resize(ctx, &musterv1.ResizeRequest{Namespace: "oak", Name: "taken", Max: 2})
			return err
		}, client.WrongState, connect.CodeFailedPrecondition, "a gang keeps its size once it stands"},
		{"a pool that is not there", func(ctx context.Context) error {
			_, err := h.Workloads.Resize(ctx, &musterv1.ResizeRequest{Namespace: "oak", Name: "taken", Pool: "grader", Max: 2})
			return err
		}, client.NoSuchPool, connect.CodeNotFound, "has no pool \"grader\""},
		{"the history of a quota that never was", func(ctx context.Context) error {
			_, err := h.Quotas.History(ctx, &musterv1.HistoryRequest{Quota: "research/nobody"})
			return err
		}, client.NoSuchQuota, connect.CodeNotFound, "research/nobody"},
		{"a node that is not there", func(ctx context.Context) error {
			_, err := h.Capacity.Nodes(ctx, &musterv1.NodesRequest{Names: []string{"tiger-h200-i1-001", "ghost"}})
			return err
		}, client.NoSuchNode, connect.CodeNotFound, "ghost"},
		{"an island that is not there", func(ctx context.Context) error {
			_, err := h.Capacity.Nodes(ctx, &musterv1.NodesRequest{Scope: "tiger/h200/i9"})
			return err
		}, client.NoSuchIsland, connect.CodeNotFound, "i9"},
		{"a state that has moved on", func(ctx context.Context) error {
			_, err := h.Workloads.Submit(ctx, &musterv1.SubmitRequest{Write: &musterv1.Write{ExpectVersion: 1}, Spec: gang("b", "flex", 1)})
			return err
		}, client.Stale, connect.CodeAborted, "version 1"},
	}
	for _, c := range cases {
		before := h.version()
		err := c.do(t.Context())
		var no *client.Refusal
		if !errors.As(err, &no) {
			t.Errorf("%s: got %v, want a refusal", c.what, err)
			continue
		}
		equal(t, c.what+": code", no.Code, c.code)
		equal(t, c.what+": code of the protocol", connect.CodeOf(err), c.wire)
		if !strings.Contains(no.Error(), c.says) {
			t.Errorf("%s: says %q, which lacks %q", c.what, no.Error(), c.says)
		}
		equal(t, c.what+": version after it", h.version(), before)
	}
}

func TestOverpromiseNamesItsFigures(t *testing.T) {
	h := furnished(t)
	_, err := h.Quotas.SetGrant(t.Context(), &musterv1.SetGrantRequest{Quota: "research/oak", Partition: "tiger/h200", Gpus: 112})
	var no *client.Refusal
	if !errors.As(err, &no) || len(no.Figures) == 0 {
		t.Fatalf("got %v, want a refusal with figures", err)
	}
	equal(t, "sustainable", no.Figures["sustainable"], 104)
}

// Bad input is refused at its place, in words that say what would be right.
func TestBadInputNamesItsPlace(t *testing.T) {
	h := furnished(t)
	pools := func(p ...*musterv1.Pool) *musterv1.WorkloadSpec {
		s := gang("w", "flex", 1)
		s.Pools = p
		return s
	}
	named := func(name string) *musterv1.WorkloadSpec { return gang(name, "flex", 1) }
	submits := []struct {
		spec        *musterv1.WorkloadSpec
		field, says string
	}{
		{nil, "spec", "is missing"},
		{named(""), "spec.name", "letters, digits"},
		{named("two words"), "spec.name", `"two words" is not a name`},
		{named(strings.Repeat("a", 300)), "spec.name", "253"},
		{gang("w", "research//oak", 1), "spec.target", "with slashes between them"},
		{pools(), "spec.pools", "name at least one"},
		{pools(&musterv1.Pool{Name: "w", Gpus: -8, Replicas: 1}), "spec.pools[0].gpus", "-8 is out of range; write a number from 1 to "},
		{pools(&musterv1.Pool{Name: "w", Gpus: 8}), "spec.pools[0]", "asks for no replica"},
		{pools(&musterv1.Pool{Name: "w", Gpus: 8, Replicas: 2, Max: 3}), "spec.pools[0]", "both replicas and min..max"},
		{pools(&musterv1.Pool{Name: "w", Gpus: 8, Min: 5, Max: 3}), "spec.pools[0]", "min 5 above max 3"},
		{&musterv1.WorkloadSpec{Name: "w", Namespace: "oak", Target: "flex", Priority: "urgent", Pools: gang("w", "flex", 1).GetPools()}, "spec.priority", "critical"},
	}
	for _, c := range submits {
		_, err := h.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: c.spec})
		wantMistake(t, err, c.field, c.says)
	}
	_, err := h.Fleet.SetBuffer(t.Context(), &musterv1.SetBufferRequest{Scope: "tiger", Buffer: &musterv1.Buffer{Share: 0.12345}})
	wantMistake(t, err, "buffer.share", "thousandths")
	_, err = h.Fleet.Apply(t.Context(), &musterv1.ApplyRequest{Changes: []*musterv1.Change{{}, {}}})
	wantMistake(t, err, "changes[0].change", "add_cluster")
	_, err = h.Fleet.Apply(t.Context(), &musterv1.ApplyRequest{Changes: []*musterv1.Change{{Change: &musterv1.Change_AddCluster{
		AddCluster: &musterv1.AddClusterRequest{Write: &musterv1.Write{Reason: "mine"}, Name: "lion"},
	}}}})
	wantMistake(t, err, "changes[0].write", "whole batch")
}

func wantMistake(t *testing.T, err error, field, says string) {
	t.Helper()
	var no *client.Refusal
	if !errors.As(err, &no) || len(no.Fields) == 0 {
		t.Errorf("%s: got %v, want a refusal that names it", field, err)
		return
	}
	equal(t, "code", no.Code, client.Invalid)
	equal(t, "place", no.Fields[0].GetField(), field)
	if !strings.Contains(no.Fields[0].GetMessage(), says) {
		t.Errorf("%s: says %q, which lacks %q", field, no.Fields[0].GetMessage(), says)
	}
}

// Programs know every code of the list by the client's names, and every class has a code of the protocol.
func TestTheClientKnowsEveryCode(t *testing.T) {
	source, err := os.ReadFile("../../../client/refusal.go")
	must(t, err)
	for _, row := range core.Codes() {
		if !regexp.MustCompile(`\b` + string(row.Code) + ` += "` + string(row.Code) + `"`).Match(source) {
			t.Errorf("client/refusal.go has no constant %s", row.Code)
		}
	}
}
