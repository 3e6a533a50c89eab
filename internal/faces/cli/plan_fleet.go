package cli

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/text"
)

// fleetSentences say what events about nodes, quota and people would lead to, by kind.
var fleetSentences = map[string]func(f foreseen) string{
	"cluster.added":    func(f foreseen) string { return "cluster " + f.Cluster + " joins the fleet" },
	"cluster.mode-set": func(f foreseen) string { return fmt.Sprintf("cluster %s goes from %v to %s", f.Cluster, f.Was, f.Mode) },
	"partition.added":  func(f foreseen) string { return fmt.Sprintf("partition %s/%s is created", f.Cluster, f.GPU) },
	"island.added":     func(f foreseen) string { return fmt.Sprintf("%s gets island %s", f.Partition, f.Island) },
	"nodes.added": func(f foreseen) string {
		return fmt.Sprintf("%s/%s gets %s", f.Partition, f.Island, nodes(len(f.Names)))
	},
	"node.changed": func(f foreseen) string {
		return fmt.Sprintf("%s turns from %v to %v%s", f.Node, f.From, f.To, f.deadOnes())
	},
	"node.owned": func(f foreseen) string { return f.Node + " is kept by " + cmp.Or(f.Owner, "no one") },
	"node.validated": func(f foreseen) string {
		return f.Node + " has " + passed(f.Passed == true) + " a validation, on record"
	},
	"reports.stopped":   func(f foreseen) string { return "cluster " + f.Cluster + " counts as silent: nothing new starts there" },
	"reports.resumed":   func(f foreseen) string { return "cluster " + f.Cluster + " reports again" },
	"health.policy.set": func(foreseen) string { return "the fleet gets another health policy" },
	"buffer.set":        func(f foreseen) string { return f.Scope + " gets another buffer policy" },
	"targets.set":       func(f foreseen) string { return "cluster " + f.Cluster + " gets other targets" },
	"incident.opened":   func(f foreseen) string { return "incident " + f.Name + " opens" },
	"incident.updated":  func(f foreseen) string { return "incident " + f.Name + " is updated" },
	"incident.closed":   func(f foreseen) string { return "incident " + f.Name + " is closed" },
	"role.granted": func(f foreseen) string {
		return f.Binding.Subject.Kind + ":" + f.Binding.Subject.Name + " gets role " + f.Binding.Role
	},
	"role.revoked":    func(f foreseen) string { return f.Subject.Kind + ":" + f.Subject.Name + " loses role " + f.Role },
	"token.made":      func(foreseen) string { return "a token is made" },
	"token.revoked":   func(foreseen) string { return "a token is revoked" },
	"breaker.tripped": func(f foreseen) string { return "the breaker of " + f.Partition + " opens: automation stops there" },
	"breaker.reset": func(f foreseen) string {
		return "the breaker of " + f.Partition + " is closed: automation may act again"
	},
	"partition.halted": func(f foreseen) string { return "decisions in " + f.Partition + " are halted" },
	"burst.accused": func(f foreseen) string {
		return "a burst in " + f.Partition + " is flagged as a possible false alarm of the job or the monitor; no node is taken"
	},
	"burst.judged": func(f foreseen) string {
		return fmt.Sprintf("%q in %s counts as %s", f.Signature, f.Partition, realness(f.Real))
	},
	"burst.over": func(f foreseen) string { return fmt.Sprintf("the burst %q in %s is over", f.Signature, f.Partition) },
	"signals.taken": func(f foreseen) string {
		return counted(int64(len(f.Sightings)), "signal is", "signals are") + " taken"
	},

	"quota.created": func(f foreseen) string { return f.Quota + " is created, " + f.whoMay() },
	"quota.deleted": func(f foreseen) string { return f.Quota + " is deleted" },
	"quota.owned":   func(f foreseen) string { return cmp.Or(f.Owner, "no one") + " answers for " + f.Quota },
	"access.set":    func(f foreseen) string { return f.Quota + " is " + f.whoMay() },
	"grant.set":     foreseen.granted,
	"grant.ended": func(f foreseen) string {
		return fmt.Sprintf("what was granted to %s in %s for a time ends; %s left", f.Quota, f.Partition, text.Counted(f.GPUs, "GPU is", "GPUs are"))
	},
	"grant.transferred": func(f foreseen) string {
		return fmt.Sprintf("%s of quota in %s %s from %v to %v", text.Count(f.GPUs, "GPU"), f.Partition, text.Verb(f.GPUs, "goes", "go"), f.From, f.To)
	},
	"hold.placed": foreseen.held,
	"hold.ended":  foreseen.holdEnded,
	"request.made": func(f foreseen) string {
		return fmt.Sprintf("request %d for %s is kept until it is answered", f.Request.ID, f.Request.Quota)
	},
	"request.offered": func(f foreseen) string {
		return fmt.Sprintf("%s offers %s for request %d", f.Offer.From, text.Count(f.Offer.GPUs, "GPU"), f.ID)
	},
	"request.ended":   func(f foreseen) string { return fmt.Sprintf("request %d is %s", f.ID, f.State) },
	"backing.aligned": foreseen.aligned,

	"subscription.set":   func(f foreseen) string { return "subscription " + f.Subscription.Name + " is kept" },
	"subscription.ended": func(f foreseen) string { return "subscription " + f.Name + " ends" },
	"haircut.deleted":    func(f foreseen) string { return fmt.Sprintf("the plan %s is deleted", f.Haircut) },
	"haircut.reviewed":   func(f foreseen) string { return fmt.Sprintf("haircut %s is reviewed by %s", f.Haircut, f.By) },
	"haircut.told":       func(f foreseen) string { return "of haircut " + f.Haircut + " it is known that people were told" },
	"haircut.applied":    func(f foreseen) string { return fmt.Sprintf("haircut %s is in force in %s", f.Haircut, f.Cluster) },
	"haircut.undone":     func(f foreseen) string { return fmt.Sprintf("haircut %s is undone in %s", f.Haircut, f.Cluster) },
}

// deadOnes says how many GPUs of a node are dead then, if any.
func (f foreseen) deadOnes() string {
	if f.Dead == 0 {
		return ""
	}
	return fmt.Sprintf(", %s dead", text.Count(f.Dead, "GPU"))
}

// holdEnded says why a hold ends, and that a grant which used it up goes on.
func (f foreseen) holdEnded() string {
	text := fmt.Sprintf("hold %d ends (%s)%s", f.ID, f.Why, f.leftOver())
	if f.Why == "used" {
		text = fmt.Sprintf("hold %d is used up by the grant%s; its end does not end the grant: --until does", f.ID, f.leftOver())
	}
	return text
}

func (f foreseen) leftOver() string {
	if f.Left == 0 {
		return ""
	}
	return fmt.Sprintf(", %s left", text.Counted(f.Left, "GPU of it is", "GPUs of it are"))
}

// whoMay says who is on the access list of a quota.
func (f foreseen) whoMay() string {
	return words.Listed(f.Access.Users, f.Access.Groups, f.Access.Namespaces, math.MaxInt)
}

// granted says what a quota is granted then, and what of it ends by itself.
func (f foreseen) granted() string {
	was, _ := f.Was.(float64)
	if f.None {
		return fmt.Sprintf("%s has no grant in %s any more (it has %s)", f.Quota, f.Partition, threes(int(was)))
	}
	text := fmt.Sprintf("%s gets a grant of %s in %s (it has %s)", f.Quota, text.Count(f.GPUs, "GPU"), f.Partition, threes(int(was)))
	if f.Gang > 0 {
		text += fmt.Sprintf(", gang %s", threes(f.Gang))
	}
	if f.Overcommit {
		text += ", overcommitted"
	}
	switch is, was := f.Temporary, f.WasTemporary; {
	case is.GPUs > 0:
		text += fmt.Sprintf("; %s of them end %s", threes(is.GPUs), weekday(time.Unix(0, is.Until)))
	case was.GPUs > 0:
		text += fmt.Sprintf("; the %s that were to end %s end now", threes(was.GPUs), weekday(time.Unix(0, was.Until)))
	}
	return text
}

// held says what a new hold sets aside, and for whom.
func (f foreseen) held() string {
	whom := f.Hold.Quota
	switch {
	case f.Hold.User != "":
		whom = "user " + f.Hold.User + " in " + whom
	case f.Hold.Work != "":
		whom = "workload " + f.Hold.Namespace + "/" + f.Hold.Work + " in " + whom
	case f.Hold.Namespace != "":
		whom = "namespace " + f.Hold.Namespace + " in " + whom
	}
	if f.Hold.Until > 0 {
		whom += " until " + weekday(time.Unix(0, f.Hold.Until))
	}
	return fmt.Sprintf("%s of %s %s held for %s", text.Count(f.Hold.GPUs, "GPU"), f.Hold.Partition, text.Verb(f.Hold.GPUs, "is", "are"), whom)
}

// aligned says what backs the quotas then, where it differs.
func (f foreseen) aligned() string {
	text := fmt.Sprintf("%s can promise %s", f.Partition, nodes(f.Promisable))
	if len(f.Backing) > 0 {
		text += "; backed then: " + strings.Join(f.backed(), ", ")
	}
	return text
}

// backed says for each quota how many nodes of which islands back it then: "oak by 8 nodes of a and none of b".
func (f foreseen) backed() (quotas []string) {
	for i, b := range f.Backing {
		switch {
		case i == 0 || f.Backing[i-1].Quota != b.Quota:
			quotas = append(quotas, fmt.Sprintf("%s by %s of %s", b.Quota, orNone(b.Nodes, nodes(b.Nodes), "no node"), b.Island))
		default:
			quotas[len(quotas)-1] += fmt.Sprintf(" and %s of %s", orNone(b.Nodes, fmt.Sprint(b.Nodes), "none"), b.Island)
		}
	}
	return quotas
}

// orNone is a text for a count, or the one for none.
func orNone(n int, some, none string) string {
	if n == 0 {
		return none
	}
	return some
}

func realness(yes bool) string {
	if yes {
		return "real: it counts against the nodes"
	}
	return "not real: it does not count against the nodes"
}
