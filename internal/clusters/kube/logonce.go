package kube

import (
	"errors"
	"maps"
	"net"
	"sync"
	"time"
)

// logOnce keeps what was logged of each matter last, so that a trouble that lasts is
// said once, and again when it is another.
type logOnce struct {
	mu   sync.Mutex
	last map[string]told
}

type told struct {
	text string
	at   time.Time
}

// saidAgain is after how long something that goes on changing is said again.
const saidAgain = time.Minute

// is says whether a matter has something new to say.
func (n *logOnce) is(matter, text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.take(matter, text, n.last[matter].text != text)
}

// now says the same of what changes all the time: besides its beginning a change is
// said once a minute.
func (n *logOnce) now(matter, text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := n.last[matter]
	return n.take(matter, text, was.text == "" || was.text != text && time.Since(was.at) >= saidAgain)
}

// seldom says the same of what comes and goes: it is said again after ten minutes.
func (n *logOnce) seldom(text string) bool {
	const long, most = 10 * time.Minute, 1000
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.last) > most {
		maps.DeleteFunc(n.last, func(_ string, was told) bool { return time.Since(was.at) > long })
	}
	was, known := n.last[text]
	return n.take(text, text, !known || time.Since(was.at) > long)
}

func (n *logOnce) take(matter, text string, news bool) bool {
	if news {
		if n.last == nil {
			n.last = map[string]told{}
		}
		n.last[matter] = told{text, time.Now()}
	}
	return news
}

// over forgets a matter, and says whether something had been said of it.
func (n *logOnce) over(matter string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, was := n.last[matter]
	delete(n.last, matter)
	return was
}

// cause is an error without what differs from try to try, as ports do.
func cause(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + " " + op.Err.Error()
	}
	return err.Error()
}
