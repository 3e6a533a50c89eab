package scalesets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Azure Service Operator's real controller makes the scale sets that Muster asks for, before what
// stands in for Azure. What is held here: Muster says what is true, whatever Azure and the operator do.

// cloud is the whole way from Muster to Azure.
type cloud struct {
	*plane
	azure    *azure
	operator *kubetest.Operator
	muster   *ScaleSets
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	if _, err := kubetest.OperatorFiles(t.Context()); errors.Is(err, kubetest.ErrNoOperator) {
		t.Skip(err)
	}
	p, s := newBarePlane(t)
	a := newAzure(t)
	o, err := p.c.StartOperator(t.Context(), kubetest.Cloud{URL: a.url, Certificate: a.cert, Subscription: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			lines := strings.Split(o.Log(), "\n")
			t.Log(strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
	})
	return &cloud{p, a, o, s}
}

// life is a cluster as the operator's tests build it.
type life struct {
	*cloud
	t    *testing.T
	name string
}

func (c *cloud) life(t *testing.T, name string) life { return life{c, t, name} }

func (l life) order(step fleet.Step, generation, attempt int, nodes ...int) provision.Order {
	o := orderOf(step, generation, attempt)
	o.ID, o.Record.Name, o.Record.Islands = strings.Replace(o.ID, "lynx", l.name, 1), l.name, nil
	for i, n := range nodes {
		o.Record.Islands = append(o.Record.Islands, fleet.RecordIsland{Name: string(rune('a' + i)), Nodes: n})
	}
	return o
}

// patience bounds what the operator takes: it waits longer after each refusal.
const patience = 3 * time.Minute

// until waits until something is so.
func (l life) until(what string, so func() bool) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), patience)
	defer cancel()
	for tick := time.NewTicker(100 * time.Millisecond); !so(); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			l.t.Fatalf("%s: it never was so that %s", l.name, what)
		}
	}
}

// says carries an order until Muster says so of it, and returns that.
func (l life) says(o provision.Order, state fleet.OperationState, text string) (is provision.Report) {
	l.t.Helper()
	var err error
	defer func() {
		if l.t.Failed() {
			l.t.Logf("%s: the last word was %+v, %v", o.ID, is, err)
		}
	}()
	l.until(fmt.Sprintf("%s is %s %q", o.ID, state, text), func() bool {
		is, err = carry(l.muster, o)
		if err == nil && is.State == fleet.OperationFailed && state != is.State {
			l.t.Fatalf("%s failed: %+v", o.ID, is)
		}
		return err == nil && is.State == state && strings.Contains(is.Error, text) && (text != "" || is.Error == "")
	})
	return is
}

// does has Azure do something from now on.
func (l life) does(refuses, fails *refusal, holds bool) {
	l.azure.in(l.name, func(g *cloudGroup) { g.refuses, g.fails, g.holds = refuses, fails, holds })
}

// tally is a count of Azure's, by island.
func (l life) tally(of func(*cloudGroup) map[string]int) (is map[string]int) {
	l.azure.in(l.name, func(g *cloudGroup) { is = maps.Clone(of(g)) })
	return is
}

func tried(g *cloudGroup) map[string]int   { return g.tried }
func begun(g *cloudGroup) map[string]int   { return g.begun }
func deleted(g *cloudGroup) map[string]int { return g.deleted }

// stands are the nodes that Azure has, by scale set.
func (l life) stands() map[string]int {
	return l.tally(func(g *cloudGroup) map[string]int {
		nodes := map[string]int{}
		for name, set := range g.sets {
			nodes[name] = int(set["sku"].(object)["capacity"].(float64))
		}
		return nodes
	})
}

func (l life) want(what string, is, want map[string]int) {
	l.t.Helper()
	if !reflect.DeepEqual(is, want) {
		l.t.Errorf("%s: %s: %v, want %v", l.name, what, is, want)
	}
}

func (l life) islands(counts ...int) map[string]int {
	is := map[string]int{}
	for i, n := range counts {
		is[nameOf(l.name, string(rune('a'+i)))] = n
	}
	return is
}

var (
	throttled = &refusal{http.StatusTooManyRequests, "TooManyRequests", "The request is being throttled."}
	noQuota   = &refusal{http.StatusConflict, "OperationNotAllowed", "Operation could not be completed as it results in exceeding approved standardNDH200v5Family Cores quota."}
	noRights  = &refusal{http.StatusForbidden, "AuthorizationFailed", "The client does not have authorization to perform action 'Microsoft.Compute/virtualMachineScaleSets/write'."}
	noMachine = &refusal{http.StatusOK, "AllocationFailed", "We do not have sufficient capacity for the requested VM size in this region."}
	noSense   = &refusal{http.StatusBadRequest, "InvalidParameter", "The value of parameter platformFaultDomainCount is invalid."}
)

const forEver = "(the operator tries again by itself, for ever; since 20"

func TestAzureServiceOperator(t *testing.T) {
	c := newCloud(t)
	began := time.Now()
	t.Run("lives", func(t *testing.T) {
		for name, lives := range map[string]func(life){"puma": diesByHand, "wolf": hasNoRights, "otter": isOfAnotherSubscription} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				lives(c.life(t, name))
			})
		}
	})
	t.Run("lynx", func(t *testing.T) { livesWhole(c.life(t, "lynx")) })
	t.Logf("with the operator's real controller: %s", time.Since(began).Round(100*time.Millisecond))
}

// Throttled, without quota, built over a crash of the operator, without machines, wrong, right again, and removed.
func livesWhole(l life) {
	l.does(throttled, nil, false)
	first := l.order(fleet.StepScaleSets, 1, 1, 4, 2)
	l.says(first, fleet.OperationRunning, "TooManyRequests")

	l.does(noQuota, nil, false)
	without := "scale sets " + nameOf("lynx", "a") + ", " + nameOf("lynx", "b") + ": OperationNotAllowed: " + noQuota.message + " " + forEver
	seen := l.says(first, fleet.OperationRunning, without)
	before := l.tally(tried)[nameOf("lynx", "a")]
	l.until("Azure was asked for quota again and again", func() bool { return l.tally(tried)[nameOf("lynx", "a")] >= before+2 })
	if again, err := carry(l.muster, first); err != nil || again.State != fleet.OperationRunning || again.Error != seen.Error {
		l.t.Errorf("a quota that never comes: first %+v, then %+v, %v", seen, again, err)
	}

	l.does(nil, nil, true) // the quota is there
	l.until("both are being made", func() bool { return l.azure.polled("lynx", 2) })
	l.crash(first)
	l.does(nil, nil, false)
	l.says(first, fleet.OperationSucceeded, "")
	l.want("made once, over a crash", l.tally(begun), l.islands(1, 1))
	l.want("nodes", l.stands(), l.islands(4, 2))

	l.does(nil, noMachine, false)
	more := l.order(fleet.StepScaleSets, 2, 1, 6, 2)
	l.says(more, fleet.OperationRunning, "AllocationFailed: "+noMachine.message)
	l.want("nodes, without machines for more", l.stands(), l.islands(4, 2))
	l.does(nil, nil, false)
	l.says(more, fleet.OperationSucceeded, "")
	l.want("nodes of generation 2", l.stands(), l.islands(6, 2))

	l.does(noSense, nil, false)
	wrong := l.order(fleet.StepScaleSets, 3, 1, 8, 2)
	if is := l.says(wrong, fleet.OperationFailed, "InvalidParameter: "+noSense.message); is.Class != fleet.ErrorFix || strings.Contains(is.Error, "for ever") || strings.Contains(is.Error, "RESPONSE") {
		l.t.Errorf("what Azure refuses for good: %+v", is)
	}
	l.does(nil, nil, false)
	l.says(l.order(fleet.StepScaleSets, 4, 1, 5, 2), fleet.OperationSucceeded, "")
	l.want("nodes of generation 4", l.stands(), l.islands(5, 2))

	l.says(l.order(fleet.StepTeardown, 4, 1, 5, 2), fleet.OperationSucceeded, "")
	l.want("deleted", l.tally(deleted), l.islands(1, 1))
	l.want("nodes after the removal", l.stands(), l.islands())
}

// crash kills the operator in the middle of what it makes, and starts it again. Meanwhile nothing is
// known of the scale sets, and they are never said to be gone.
func (l life) crash(o provision.Order) {
	l.t.Helper()
	l.operator.Kill()
	gone := o
	gone.Step = fleet.StepTeardown
	for _, asked := range []provision.Order{o, gone} {
		if is, found, err := l.muster.Find(l.t.Context(), asked); err == nil {
			l.t.Errorf("without the operator, %s is %+v, found %v", asked.Step, is, found)
		}
	}
	if seen, err := l.look(o); err == nil {
		l.t.Errorf("without the operator, seen was %+v", seen)
	}
	if err := l.operator.Start(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

func (l life) look(o provision.Order) ([]fleet.StepEvidence, error) {
	return l.muster.Look(l.t.Context(), provision.Subject{Record: o.Record, Blueprint: o.Blueprint, Generation: o.Generation, Done: []fleet.Step{fleet.StepScaleSets}})
}

// A person deletes a scale set's resource: what stands in Azure stays, Muster says that the resource
// is not there, and its next try finds in Azure what it left.
func diesByHand(l life) {
	first := l.order(fleet.StepScaleSets, 1, 1, 3)
	l.says(first, fleet.OperationSucceeded, "")
	l.call(http.MethodDelete, setsPath+"/"+nameOf(l.name, "a"), nil)
	l.until("Muster sees that its resource is gone", func() bool {
		seen, err := l.look(first)
		return err == nil && len(seen) == 1 && !seen[0].Holds && strings.Contains(seen[0].Detail, "is not there")
	})
	l.want("deleted in Azure", l.tally(deleted), map[string]int{})
	l.want("nodes that stay", l.stands(), l.islands(3))
	l.says(l.order(fleet.StepScaleSets, 1, 2, 3), fleet.OperationSucceeded, "")
	l.want("nodes", l.stands(), l.islands(3))
}

// Without rights the operator tries for ever, and Muster says so in Azure's own words.
func hasNoRights(l life) {
	l.does(noRights, nil, false)
	o := l.order(fleet.StepScaleSets, 1, 1, 1)
	l.says(o, fleet.OperationRunning, "AuthorizationFailed: "+noRights.message)
	l.until("Azure was asked three times", func() bool { return l.tally(tried)[nameOf(l.name, "a")] >= 3 })
	l.says(o, fleet.OperationRunning, forEver)
	l.does(nil, nil, false)
	l.says(o, fleet.OperationSucceeded, "")
}

// The operator has the identity of one subscription. A record of another needs a fix.
func isOfAnotherSubscription(l life) {
	o := l.order(fleet.StepScaleSets, 1, 1, 1)
	o.Record.Subscription = "s2"
	if is := l.says(o, fleet.OperationFailed, "SubscriptionMismatch"); is.Class != fleet.ErrorFix {
		l.t.Errorf("%+v", is)
	}
	l.want("asked for", l.tally(tried), map[string]int{})
}
