package gate

import (
	"fmt"
	"os"
	"sync"
	"time"
)

var dbg struct {
	sync.Mutex
	f *os.File
}

// Dbg is temporary.
func Dbg(what, who string, began time.Time) {
	d := time.Since(began)
	if d < 100*time.Millisecond {
		return
	}
	dbg.Lock()
	defer dbg.Unlock()
	if dbg.f == nil {
		dbg.f, _ = os.Create("/tmp/dbg.txt")
	}
	fmt.Fprintf(dbg.f, "%s %s %s %d spare=%.2f\n", time.Now().Format("05.000"), what, who, d.Milliseconds(), Spare())
}
