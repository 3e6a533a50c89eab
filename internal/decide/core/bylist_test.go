package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Where people sign in, a quota without an access list is closed to the pods of clusters as to people; a list
// lets their namespace in. Without a sign-in it is open.
func TestAQuotaWithoutAListIsClosedToPods(t *testing.T) {
	st := fitFleet(t)
	pods := core.Driver
	pods.ByList = true
	submit := func(by core.Actor, name, target string) *core.Refusal {
		c := gang(name, "oak", target, fleet.Mid, 1)
		_, refusal := core.Step(st.s, core.Request{Command: c, Actor: by}, fleet.Instant(time.Minute))
		return refusal
	}
	if no := submit(pods, "pods", "q"); no == nil || no.Code != core.AccessDenied || !strings.Contains(no.Message, "muster quota access q --namespace oak opens it") {
		t.Errorf("pods in a closed quota: %v", no)
	}
	if no := submit(pods, "lent", fleet.Flex); no != nil {
		t.Errorf("pods on flex: %v", no)
	}
	c := core.Retarget{Namespace: "oak", Name: "lent", Target: "q"}
	if _, no := core.Step(st.s, core.Request{Command: c, Actor: pods}, fleet.Instant(time.Minute)); no == nil || no.Code != core.AccessDenied {
		t.Errorf("pods that move into a closed quota: %v", no)
	}
	if no := submit(core.Driver, "without", "q"); no != nil {
		t.Errorf("pods where people do not sign in: %v", no)
	}
	st.do(time.Minute, core.SetAccess{Path: "q", Access: fleet.Access{Namespaces: []string{"oak"}}})
	if no := submit(pods, "listed", "q"); no != nil {
		t.Errorf("pods of a namespace on the list: %v", no)
	}
}
