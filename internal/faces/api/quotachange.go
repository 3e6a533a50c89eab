package api

import (
	"cmp"
	"fmt"
	"math"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/event"
	"github.com/muster-fleet/muster/internal/state/fleet"
	"github.com/muster-fleet/muster/internal/state/text"
)

// chronicle turns events about quotas into lines of history. It remembers what
// an event does not repeat: the grants that a transfer changes, and the hold that ends.
type chronicle struct {
	grants map[account]int
	holds  map[uint64]fleet.Hold
	asked  map[uint64]string // why, request by request
}

// account names what one quota has in one partition.
type account struct{ quota, partition string }

func newChronicle() chronicle {
	return chronicle{map[account]int{}, map[uint64]fleet.Hold{}, map[uint64]string{}}
}

// read says what an event means for quotas: one line for each that it changes.
func (c chronicle) read(e event.Event) []*musterv1.QuotaChange {
	switch e := e.(type) {
	case event.QuotaCreated:
		return quotaLine(e.Quota, "created, "+words.Access(e.Access, math.MaxInt))
	case event.QuotaDeleted:
		return quotaLine(e.Quota, "deleted")
	case event.AccessSet:
		return quotaLine(e.Quota, "access: "+words.Access(e.Access, math.MaxInt))
	case event.QuotaOwned:
		if e.Owner == "" {
			return quotaLine(e.Quota, "has no owner any more")
		}
		return quotaLine(e.Quota, "owner: "+e.Owner)
	case event.GrantSet:
		return c.grantSet(e)
	case event.GrantEnding:
		return quotaLine(e.Quota, fmt.Sprintf("%s of %s %s at %s: its people are told", text.Count(e.GPUs, "GPU"), e.Partition, text.Verb(e.GPUs, "ends", "end"), text.Weekday(e.Until.Time())))
	case event.GrantEnded:
		return c.grantEnded(e)
	case event.GrantTransferred:
		return c.transferred(e)
	case event.HoldPlaced:
		return c.holdPlaced(e)
	case event.HoldEnded:
		return c.holdEnded(e)
	}
	return nil
}

// why is the reason of a record, with what it did of which its changes are a part:
// a wave of a haircut, or a request that was granted. Where who granted it gave no
// reason, it is that of who asked.
func (c chronicle) why(r event.Record) string {
	occasion, reason := "", r.Reason
	for _, e := range r.Events {
		switch e := e.(type) {
		case event.HaircutApplied:
			occasion = "haircut " + e.Haircut
		case event.HaircutUndone:
			occasion = "haircut " + e.Haircut + " undone"
		case event.RequestMade:
			c.asked[e.Request.ID] = r.Reason
		case event.RequestEnded:
			occasion = fmt.Sprintf("request %d", e.ID)
			reason = cmp.Or(reason, c.asked[e.ID])
			delete(c.asked, e.ID)
		}
	}
	if occasion == "" || reason == "" {
		return occasion + reason
	}
	return occasion + ": " + reason
}

func quotaLine(quota, text string) []*musterv1.QuotaChange {
	return []*musterv1.QuotaChange{{Quota: quota, Text: text}}
}

func (c chronicle) grantSet(e event.GrantSet) []*musterv1.QuotaChange {
	c.grants[account{e.Quota, e.Partition}] = e.GPUs
	says := fmt.Sprintf("grant in %s from %s to %s", e.Partition, text.Group(e.Was), text.Count(e.GPUs, "GPU"))
	if e.GPUs == e.Was {
		says = fmt.Sprintf("grant in %s stays at %s", e.Partition, text.Count(e.GPUs, "GPU"))
	}
	if e.Gang > 0 {
		says += fmt.Sprintf(", gang %d", e.Gang)
	}
	if e.Overcommit {
		says += ", overcommitted"
	}
	says += words.Ends(e.Temporary, e.WasTemporary)
	return []*musterv1.QuotaChange{{Quota: e.Quota, Partition: e.Partition, Was: int32(e.Was), Gpus: int32(e.GPUs), Text: says}}
}

func (c chronicle) grantEnded(e event.GrantEnded) []*musterv1.QuotaChange {
	was := e.GPUs + e.Ended.GPUs
	c.grants[account{e.Quota, e.Partition}] = e.GPUs
	says := fmt.Sprintf("grant in %s from %s to %s: %s %s granted until %s", e.Partition, text.Group(was), text.Count(e.GPUs, "GPU"), text.Group(e.Ended.GPUs), text.Verb(e.Ended.GPUs, "was", "were"), text.Weekday(e.Ended.Until.Time()))
	return []*musterv1.QuotaChange{{Quota: e.Quota, Partition: e.Partition, Was: int32(was), Gpus: int32(e.GPUs), Text: says}}
}

func (c chronicle) transferred(e event.GrantTransferred) []*musterv1.QuotaChange {
	return []*musterv1.QuotaChange{
		c.moved(account{e.From, e.Partition}, -e.GPUs, fmt.Sprintf("%s of %s transferred to %s", text.Count(e.GPUs, "GPU"), e.Partition, e.To)),
		c.moved(account{e.To, e.Partition}, e.GPUs, fmt.Sprintf("%s of %s transferred from %s", text.Count(e.GPUs, "GPU"), e.Partition, e.From)),
	}
}

func (c chronicle) moved(a account, by int, text string) *musterv1.QuotaChange {
	was := c.grants[a]
	c.grants[a] = was + by
	return &musterv1.QuotaChange{Quota: a.quota, Partition: a.partition, Was: int32(was), Gpus: int32(was + by), Text: text}
}

func (c chronicle) holdPlaced(e event.HoldPlaced) []*musterv1.QuotaChange {
	h := e.Hold
	c.holds[h.ID] = h
	says := fmt.Sprintf("hold %d%s: %s of %s until %s", h.ID, holderOf(h), text.Count(h.GPUs, "GPU"), h.Partition, h.Until.Time().Format("2006-01-02 15:04Z"))
	return []*musterv1.QuotaChange{{Quota: h.Quota, Partition: h.Partition, Gpus: int32(h.GPUs), Text: says}}
}

func (c chronicle) holdEnded(e event.HoldEnded) []*musterv1.QuotaChange {
	h := c.holds[e.ID]
	says := fmt.Sprintf("hold %d%s of %s of %s %s", e.ID, holderOf(h), text.Count(h.GPUs, "GPU"), h.Partition, e.Why)
	if e.Left > 0 {
		says += fmt.Sprintf(", %s left", text.Count(e.Left, "GPU"))
	}
	line := &musterv1.QuotaChange{Quota: h.Quota, Partition: h.Partition, Was: int32(h.GPUs), Gpus: int32(e.Left), Text: says}
	if h.GPUs = e.Left; h.GPUs > 0 {
		c.holds[e.ID] = h
	} else {
		delete(c.holds, e.ID)
	}
	return []*musterv1.QuotaChange{line}
}

// holderOf says whom a hold inside the quota is for.
func holderOf(h fleet.Hold) string {
	if !h.Inside() {
		return ""
	}
	return " for " + h.Holder()
}
