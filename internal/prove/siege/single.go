package siege

import (
	"context"
	"runtime"
	"time"
)

// Single is one request of the foe's, alone.
type Single struct {
	Name   string
	Bytes  int // as it travels
	Status int
	Answer int64 // bytes
	Took   time.Duration
	Memory int64 // the most that the server had meanwhile above what it had before, in bytes
}

// singles sends each of the foe's requests alone, and some together.
func (f *fort) singles(ctx context.Context) (list []Single, err error) {
	by := from(foeAddress)
	defer by.CloseIdleConnections()
	for _, a := range attacks() {
		c := a.make(0)
		one := Single{Name: a.name, Bytes: len(c.body)}
		rest(ctx, 200*time.Millisecond) // what the one before has used is given back, or is the idle server's
		f.forgetPeak()
		before, began := f.memory("VmRSS"), time.Now()
		if one.Status, one.Answer, err = f.send(ctx, by, tokenOf(hostile), c); err != nil {
			return list, err
		}
		one.Took = time.Since(began)
		one.Memory = max(0, f.memory("VmHWM")-before)
		list = append(list, one)
	}
	runtime.GC()
	return list, nil
}
