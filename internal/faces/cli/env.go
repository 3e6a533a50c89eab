package cli

import (
	"io"
	"net/http"
	"time"
)

// Env is the world that commands run in.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	// OutTerminal and ErrTerminal say whether a person looks at the stream as it comes.
	OutTerminal, ErrTerminal bool
	InTerminal               bool       // a person can be asked
	Height                   func() int // lines of the terminal; 0: unknown; nil: there is none
	Getenv                   func(string) string
	Now                      func() time.Time
	Zone                     *time.Location // times in tables are shown in; nil: the machine's
	User                     string         // the operating system's user
	Version                  string         // of this program
	HTTP                     *http.Client   // by which the server is reached; nil: the client's own
}

func (e *Env) zone() *time.Location {
	if e.Zone == nil {
		return time.Local
	}
	return e.Zone
}
