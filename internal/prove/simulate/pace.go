package simulate

import "time"

// pace tells of progress no more often than people can read it.
type pace struct {
	tell func(Progress)
	told time.Time
	skip int
}

const (
	between = 200 * time.Millisecond
	glance  = 64 // steps between two looks at the clock
)

func (p *pace) step(now func() Progress) {
	if p.skip++; p.tell == nil || p.skip%glance != 0 || time.Since(p.told) < between {
		return
	}
	p.told = time.Now()
	p.tell(now())
}

func (p *pace) end(now func() Progress) {
	if p.tell != nil {
		p.tell(now())
	}
}
