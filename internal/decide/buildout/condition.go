package buildout

import (
	"fmt"
	"strings"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// providerAzure is the provider whose pipelines only a blueprint names: others build by
// themselves, or have a person do it.
const providerAzure = "azure"

// spec says whether the record and its blueprint can be built at all.
func (k *look) spec() Condition {
	c := Condition{Type: fleet.SpecValid, Status: fleet.StatusTrue, Reason: "Valid", Turn: true, On: On{System: "record", Object: k.life.Record.Name}}
	wrong := ""
	switch {
	case k.blueprint == nil:
		wrong = fmt.Sprintf("blueprint %s version %d is not there; `muster blueprint add` adds it", k.life.Record.Blueprint, k.life.Version)
	case k.blueprint.Runner == "" && k.life.Record.Provider == providerAzure:
		wrong = fmt.Sprintf("blueprint %s version %d names no runner, and provider %s has none of its own; add a version with `runner: tofu` or `runner: buildkite:ORG/PIPELINE`, then `muster cluster version %s VERSION`", k.life.Record.Blueprint, k.life.Version, providerAzure, k.life.Record.Name)
	case k.observed.Taken:
		wrong = "a cluster of this name is in the fleet already, and was not built from this record; retire the record, and enter it under another name"
	}
	if wrong != "" {
		c.Status, c.Reason, c.Message, c.Person = fleet.StatusFalse, "Invalid", wrong, true
	}
	return c
}

// quota says whether the cores that the cluster needs are reserved for it, or counted as its own.
func (k *look) quota() Condition {
	c := Condition{
		Type: fleet.QuotaAvailable, Status: fleet.StatusTrue, Reason: "Reserved",
		Turn: k.hold([]fleet.ConditionType{fleet.SpecValid}), On: On{System: "cloud", Object: k.life.Record.Account()},
	}
	if k.blueprint == nil {
		c.Status, c.Reason = fleet.StatusUnknown, "NotYet"
		return c
	}
	claim := &k.observed.Claim
	c.Status, c.Reason = claim.stands()
	k.short(&c, claim)
	if c.Reason == "Missing" && k.blueprint.RequestQuota {
		k.ask(&c)
	}
	if !c.Holds() {
		k.wake(claim.Read.Add(Fresh) + 1)
	}
	return c
}

// asking is how the cloud is asked for cores that are missing.
var asking = way{fleet.QuotaAvailable, fleet.StepQuota, "cloud", true, []fleet.ConditionType{fleet.SpecValid}}

// ask lets the cloud be asked for what is missing, and says how that stands.
func (k *look) ask(c *Condition) {
	s := k.life.Step(fleet.StepQuota)
	c.Try, c.On.Link = Try{Tries: s.Tries, Next: s.Trouble.Next, Error: s.Trouble.Error}, s.Operation.Link
	again := s.Operation.Ended.Add(Fresh << min(max(0, s.Operation.Attempt-1), 6))
	switch agreed := k.done(s); {
	case s.Trouble.Parked:
		c.Person = c.Turn
		c.Message += "; asking the cloud for them failed: " + said(s.Trouble) + parkedRemedy(k.life.Record.Name, s)
	case s.Trouble.Failures > 0:
		c.Message += "; asking the cloud for them failed: " + said(s.Trouble)
	case s.Operation.Live():
		c.Message += "; the cloud was asked for them"
	case agreed && again > k.now: // its count lags
		c.Message += "; the cloud has agreed to them, and does not count them yet"
		k.wake(again)
		return
	}
	if c.Turn {
		k.begin(asking, s)
	}
}

// short says what the cores of a cluster wait for.
func (k *look) short(c *Condition, claim *Claim) {
	account := k.life.Record.Account()
	switch c.Reason {
	case NotRead, "NeedsFix", "NeedsPerson":
		c.Person = c.Reason != NotRead
		c.Message = "the cloud's counts of " + account + " are not known yet"
		if claim.Error != "" {
			c.Message += ": " + claim.Error
		}
	case "NotSaid":
		c.Person, c.On = c.Turn, On{System: "person", Object: "quota"}
		c.Message = "no cloud counts the quota of " + account + "; once " + claim.wanted() + " are there, say so: `muster cluster quota " + k.life.Record.Name + "`"
	case "NoMeter":
		c.Person = true
		c.Message = "the cloud counts no meter " + strings.Join(claim.unknown(), ", ") + " in " + account +
			"; add a version of blueprint " + k.life.Record.Blueprint + " with the cloud's own names, then `muster cluster version " + k.life.Record.Name + " VERSION`"
	case "Missing":
		c.Message = strings.Join(claim.Short(), "; ")
	case "Behind":
		c.Message = "clusters that come first wait for the same cores"
	}
}

// checkedIn says whether other projects and clusters know of this one.
func (k *look) checkedIn() Condition {
	c := Condition{
		Type: fleet.CheckedIn, Status: fleet.StatusTrue, Reason: "CheckedIn",
		Turn: k.hold([]fleet.ConditionType{fleet.SpecValid, fleet.QuotaAvailable}),
	}
	switch {
	case k.blueprint != nil && k.blueprint.Checkin == fleet.CheckinInventory:
		c.Reason, c.On = "Inventory", On{System: "inventory"}
	case k.blueprint != nil && k.blueprint.Checkin == fleet.CheckinGit:
		return k.checkedInByGit(c)
	default:
		c.On = On{System: "person", Object: "check-in"}
		if k.life.Course.CheckedIn == 0 {
			k.awaitCheckin(&c, "a person has to check the cluster in, and to say so: `muster cluster checkin "+k.life.Record.Name+" --commit COMMIT`")
		}
	}
	return c
}

// checkedInByGit waits for the branch to be pushed, and then for a person to merge it.
func (k *look) checkedInByGit(c Condition) Condition {
	c.On = On{System: "git", Object: "check-in"}
	if k.life.Course.CheckedIn != 0 {
		return c
	}
	pushed := k.step(way{fleet.CheckedIn, fleet.StepCheckin, "git", true, []fleet.ConditionType{fleet.SpecValid, fleet.QuotaAvailable}})
	if !k.done(k.life.Step(fleet.StepCheckin)) {
		return pushed
	}
	c.On = pushed.On
	k.awaitCheckin(&c, "the branch is pushed; a person has to merge it")
	return c
}

func (k *look) awaitCheckin(c *Condition, text string) {
	c.Status, c.Reason = fleet.StatusFalse, "NotYet"
	if c.Turn {
		c.Reason, c.Person, c.Message = "WaitsForCheckin", true, text
	}
}
