package cli

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
)

// Who broke the glass was told "operator: everything is allowed", without an end, and the status said nothing.
func TestWhoBrokeTheGlassIsToldUntilWhen(t *testing.T) {
	at := time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC)
	s := &musterv1.StatusResponse{
		Seen: &musterv1.Seen{}, Started: timestamppb.New(at), Actor: "user:ada", Operator: true, Roles: []string{"admin in the fleet", "viewer in cluster tiger"},
		Warnings: []*musterv1.Warning{{Key: "glass user:ada 2026-11-30T06:00:00Z", Text: "user:ada broke the glass: fire", Until: timestamppb.New(at), Reason: "fire"}},
	}
	var out strings.Builder
	p := &page{Writer: &out, clock: clock{zone: time.UTC, now: at}}
	p.whoami(identity(s))
	for _, want := range []string{"admin until 07:00:00", "for you broke the glass: fire", "after that  viewer in cluster tiger"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	s.Actor = "user:olga"
	out.Reset()
	p.whoami(identity(s))
	if !strings.Contains(out.String(), "operator: everything is allowed") {
		t.Errorf("of another who broke the glass whoami says\n%s", out.String())
	}
	out.Reset()
	p.status("", s)
	if !strings.Contains(out.String(), "!! user:ada broke the glass: fire") || strings.Contains(out.String(), "key:") {
		t.Errorf("the status says\n%s", out.String())
	}
}
