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
		return quotaLine(e.Quota, fmt.Sprintf("%d GPUs of %s end at %s: its people are told", e.GPUs, e.Partition, text.Weekday(e.Until.Time())))
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
	text := fmt.Sprintf("grant in %s from %d to %d GPUs", e.Partition, e.Was, e.GPUs)
	if e.GPUs == e.Was {
		text = fmt.Sprintf("grant in %s stays at %d GPUs", e.Partition, e.GPUs)
	}
	if e.Gang > 0 {
		text += fmt.Sprintf(", gang %d", e.Gang)
	}
	if e.Overcommit {
		text += ", overcommitted"
	}
	text += words.Ends(e.Temporary, e.WasTemporary)
	return []*musterv1.QuotaChange{{Quota: e.Quota, Partition: e.Partition, Was: int32(e.Was), Gpus: int32(e.GPUs), Text: text}}
}

func (c chronicle) grantEnded(e event.GrantEnded) []*musterv1.QuotaChange {
	was := e.GPUs + e.Ended.GPUs
	c.grants[account{e.Quota, e.Partition}] = e.GPUs
	text := fmt.Sprintf("grant in %s from %d to %d GPUs: %d were granted until %s", e.Partition, was, e.GPUs, e.Ended.GPUs, text.Weekday(e.Ended.Until.Time()))
	return []*musterv1.QuotaChange{{Quota: e.Quota, Partition: e.Partition, Was: int32(was), Gpus: int32(e.GPUs), Text: text}}
}

func (c chronicle) transferred(e event.GrantTransferred) []*musterv1.QuotaChange {
	return []*musterv1.QuotaChange{
		c.moved(account{e.From, e.Partition}, -e.GPUs, fmt.Sprintf("%d GPUs of %s transferred to %s", e.GPUs, e.Partition, e.To)),
		c.moved(account{e.To, e.Partition}, e.GPUs, fmt.Sprintf("%d GPUs of %s transferred from %s", e.GPUs, e.Partition, e.From)),
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
	text := fmt.Sprintf("hold %d%s: %d GPUs of %s until %s", h.ID, holderOf(h), h.GPUs, h.Partition, h.Until.Time().Format("2006-01-02 15:04Z"))
	return []*musterv1.QuotaChange{{Quota: h.Quota, Partition: h.Partition, Gpus: int32(h.GPUs), Text: text}}
}

func (c chronicle) holdEnded(e event.HoldEnded) []*musterv1.QuotaChange {
	h := c.holds[e.ID]
	text := fmt.Sprintf("hold %d%s of %d GPUs of %s %s", e.ID, holderOf(h), h.GPUs, h.Partition, e.Why)
	if e.Left > 0 {
		text += fmt.Sprintf(", %d GPUs left", e.Left)
	}
	line := &musterv1.QuotaChange{Quota: h.Quota, Partition: h.Partition, Was: int32(h.GPUs), Gpus: int32(e.Left), Text: text}
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
