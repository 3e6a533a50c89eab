package api_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// Planned work that cannot be: each message names the place, what is wrong, and what would be right. Nothing of it is
// written, not even a part.
func TestPlannedWorkThatCannotBe(t *testing.T) {
	const ops = "ops-token-0123456789abcdef"
	tokens, err := api.ParseTokens(strings.NewReader(fmt.Sprintf("- {token_sha256: %s, user: ops, operator: true}\n- {token_sha256: %s, user: ada, namespaces: [oak]}\n", sumOf(ops), sumOf(adaToken))))
	must(t, err)
	h := open(t, func(o *api.Options) { o.Auth = tokens })
	h.Client = h.as(ops, "")
	_, err = h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	maintenance, ada := h.Maintenance, h.as(adaToken, "").Maintenance
	update := func(name string, edit func(*musterv1.NodeUpdate)) *musterv1.AddUpdateRequest {
		u := &musterv1.NodeUpdate{Name: name, Component: name, Version: "2", Impact: "restart", Lasts: durationpb.New(time.Hour)}
		if edit != nil {
			edit(u)
		}
		return &musterv1.AddUpdateRequest{Update: u}
	}
	for _, name := range []string{"driver", "firmware", "bad"} {
		_, err = maintenance.AddUpdate(t.Context(), update(name, nil))
		must(t, err)
	}
	_, err = maintenance.StartRollout(t.Context(), &musterv1.StartRolloutRequest{Name: "r1", Scope: "tiger/h200", Updates: []string{"driver"}})
	must(t, err)
	_, err = maintenance.WithdrawUpdate(t.Context(), &musterv1.WithdrawUpdateRequest{Name: "bad"})
	must(t, err)

	in := func(d time.Duration) *timestamppb.Timestamp { return timestamppb.New(noon.Add(d)) }
	zone := func(edit func(*musterv1.Zone)) func(context.Context) error {
		z := &musterv1.Zone{Name: "z", Scope: "tiger", From: in(time.Hour), To: in(25 * time.Hour), Reason: "launch", Owner: "ada", Link: "https://example.com"}
		edit(z)
		return func(ctx context.Context) error {
			_, err := maintenance.AddZone(ctx, &musterv1.AddZoneRequest{Zone: z})
			return err
		}
	}
	rollout := func(who musterMaintenance, scope, update string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := who.StartRollout(ctx, &musterv1.StartRolloutRequest{Name: "r2", Scope: scope, Updates: []string{update}})
			return err
		}
	}
	before := h.engine.Durable()
	for _, c := range []struct {
		what  string
		does  func(context.Context) error
		field string // "": the message names the thing
		says  string
	}{
		{"a zone that ends before it begins", zone(func(z *musterv1.Zone) { z.To = in(0) }), "zone.to", "it ends at Sat 2026-11-21 12:00Z, and begins at Sat 2026-11-21 13:00Z; it ends after it begins"},
		{"a zone that is over", zone(func(z *musterv1.Zone) { z.From, z.To = in(-2*time.Hour), in(-time.Hour) }), "", `zone "z" is over: it ends at Sat 2026-11-21 11:00Z`},
		{"an unknown time zone", zone(func(z *musterv1.Zone) { z.TimeZone = "Europe/Atlantis" }), "zone.time_zone", "write it as in Europe/London"},
		{"a hundred years", zone(func(z *musterv1.Zone) { z.Recur = "FREQ=WEEKLY;UNTIL=21261201T000000Z" }), "zone.recur", "the recurrence goes on until 2126-12-01; ten years are possible"},
		{"a hundred years at a stretch", zone(func(z *musterv1.Zone) { z.To = in(100 * 366 * 24 * time.Hour) }), "zone.to", "ten years are possible"},
		{"a hundred years, day by day", zone(func(z *musterv1.Zone) { z.Recur, z.To = "FREQ=DAILY;COUNT=36500", in(2*time.Hour) }), "zone.recur", "more than 1500 occurrences; give it an earlier end"},
		{"a rule in words", zone(func(z *musterv1.Zone) { z.Recur = "every friday" }), "zone.recur", "write it as in FREQ=WEEKLY;BYDAY=FR;COUNT=10"},
		{"a zone over a workload and a place", zone(func(z *musterv1.Zone) { z.Workload = "oak/base" }), "zone.workload", "a zone over a workload has no scope"},
		{"a deadline in the past", func(ctx context.Context) error {
			_, err := maintenance.AddUpdate(ctx, update("late", func(u *musterv1.NodeUpdate) { u.Deadline = in(-time.Hour) }))
			return err
		}, "", `the deadline of update "late", Sat 2026-11-21 11:00Z, is past; give one that is still to come, or none`},
		{"another rollout's nodes", rollout(maintenance, "tiger/h200/i1", "firmware"), "", `rollout "r1" has nodes of this scope; wait until it is done, abandon it, or choose other nodes`},
		{"an update that was withdrawn", rollout(maintenance, "tiger/h200", "bad"), "", `update "bad" was withdrawn`},
		{"a rollout by who is no operator", rollout(ada, "tiger/h200", "firmware"), "", "ada"},
		{"a withdrawal by who is no operator", func(ctx context.Context) error {
			_, err := ada.WithdrawUpdate(ctx, &musterv1.WithdrawUpdateRequest{Name: "driver"})
			return err
		}, "", "ada"},
	} {
		err := c.does(t.Context())
		var refused *client.Refusal
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, c.says) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
			continue
		}
		if field := firstField(refused); field != c.field {
			t.Errorf("%s: the message is about field %q, want %q", c.what, field, c.field)
		}
	}
	if after := h.engine.Durable(); after != before {
		t.Errorf("the log had %d records and has %d: something that was refused was kept", before, after)
	}
}

type musterMaintenance interface {
	StartRollout(context.Context, *musterv1.StartRolloutRequest) (*musterv1.StartRolloutResponse, error)
}

func firstField(r *client.Refusal) string {
	if len(r.Fields) == 0 {
		return ""
	}
	return r.Fields[0].GetField()
}
