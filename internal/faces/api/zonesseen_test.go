package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/muster-fleet/muster/client"
	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/faces/api"
)

// A no-fly zone over work says what the work is called and why it matters: those who may read the
// work are told, in plans, in what is ahead, and in events.
func TestAZoneOverAnothersWorkIsNotTold(t *testing.T) {
	const ops, eve = "ops-token-0123456789abcdef", "eve-token-0123456789abcdef"
	tokens, err := api.ParseTokens(strings.NewReader(fmt.Sprintf(`
- {token_sha256: %s, user: ops, operator: true}
- {token_sha256: %s, user: ada, namespaces: [oak]}
- {token_sha256: %s, user: eve, namespaces: [elm]}
`, sumOf(ops), sumOf(adaToken), sumOf(eve))))
	must(t, err)
	h := open(t, func(o *api.Options) { o.Auth = tokens })
	h.Client = h.as(ops, "")
	_, err = h.Fleet.Apply(t.Context(), furniture())
	must(t, err)
	_, err = h.Quotas.SetAccess(t.Context(), &musterv1.SetAccessRequest{Write: &musterv1.Write{Reason: "the team"}, Path: "research/oak", Access: &musterv1.Access{Namespaces: []string{"oak"}}})
	must(t, err)
	ada := h.as(adaToken, "")
	_, err = ada.Workloads.Submit(t.Context(), &musterv1.SubmitRequest{Spec: gang("acquisition", "research/oak", 1)})
	must(t, err)
	_, err = ada.Maintenance.AddZone(t.Context(), &musterv1.AddZoneRequest{Zone: &musterv1.Zone{
		Name: "launch", Workload: "oak/acquisition", From: timestamppb.New(time.Now().Add(-time.Hour)), To: timestamppb.New(time.Now().Add(time.Hour)),
		Blocks: []string{"restart"}, Reason: "we buy a company", Owner: "ada", Link: "https://example.org/plan",
	}})
	must(t, err)
	for who, reads := range map[string]bool{ops: true, adaToken: true, eve: false} {
		c := h.as(who, "")
		plans, err := c.Maintenance.GetMaintenance(t.Context(), &musterv1.GetMaintenanceRequest{})
		must(t, err)
		coming, err := c.Coming.Coming(t.Context(), &musterv1.ComingRequest{})
		must(t, err)
		events, err := c.Events.ListEvents(t.Context(), &musterv1.ListEventsRequest{})
		must(t, err)
		for what, text := range map[string]string{"plans": fmt.Sprint(plans), "what is ahead": fmt.Sprint(coming), "events": fmt.Sprint(events)} {
			if got := strings.Contains(text, "we buy a company"); got != reads {
				t.Errorf("%s: %s tell of the zone: %v", who, what, got)
			}
		}
	}
}

// The name of a zone over hidden work is told by no refusal: it is ended in the words for one that is not there, and a
// taken name is refused in the same words, whatever zone has it.
func TestTheNameOfAHiddenZoneIsNotTold(t *testing.T) {
	h := aviary(t)
	eve := h.as(eveToken, "")
	end := func(name string) string {
		_, err := eve.Maintenance.EndZone(t.Context(), &musterv1.EndZoneRequest{Name: name})
		equal(t, "ending "+name+" is refused", client.Refused(err, client.NoSuchZone), true)
		return strings.ReplaceAll(fmt.Sprint(err), name, "NAME")
	}
	equal(t, "a hidden zone and none are ended alike", end("launch"), end("nonesuch"))
	add := func(name, workload string) error {
		_, err := eve.Maintenance.AddZone(t.Context(), &musterv1.AddZoneRequest{Zone: &musterv1.Zone{
			Name: name, Workload: workload, From: timestamppb.New(noon), To: timestamppb.New(noon.Add(48 * time.Hour)), Blocks: []string{"restart"}, Reason: "x", Owner: "eve", Link: "https://example.org",
		}})
		return err
	}
	must(t, add("own", "elm/ash"))
	said := map[string]bool{}
	for _, name := range []string{"launch", "own"} {
		err := add(name, "elm/ash")
		equal(t, name+" is taken", client.Refused(err, client.NameTaken), true)
		said[strings.ReplaceAll(fmt.Sprint(err), name, "NAME")] = true
	}
	equal(t, "ways in which a taken name is refused", len(said), 1)
	equal(t, "over hidden work the name is not looked at", fmt.Sprint(add("launch", "kestrel/falcon-runs")), fmt.Sprint(add("nonesuch", "kestrel/falcon-runs")))
	_, err := h.as(merlinToken, "").Maintenance.EndZone(t.Context(), &musterv1.EndZoneRequest{Name: "launch"})
	must(t, err)
}
