package audit

import "time"

// Kind says what an entry is about.
type Kind string

// The kinds of entries.
const (
	Denied     Kind = "denied"      // a call was refused: its caller's roles do not allow it
	Unknown    Kind = "unknown"     // a call was refused: nothing proved who sent it
	SignedIn   Kind = "sign-in"     // a person came in by the pages or the command line
	SignedOut  Kind = "sign-out"    // a person's session ended
	SecretRead Kind = "secret-read" // what a webhook is signed with was read
	TokenUsed  Kind = "token-used"  // a token was used for the first time from a place
	TokenMade  Kind = "token-made"
	ActedFor   Kind = "act-for"  // an operator acted for a user
	Roles      Kind = "roles"    // a role was granted or revoked, or the glass broken
	Proposal   Kind = "proposal" // a change was proposed to a second person, or answered by one
	Enrolled   Kind = "enrolled" // agents of a cluster may come, or may not any more
	Agent      Kind = "agent"    // an agent came in; of one that is refused see unknown
	Head       Kind = "head"     // names the journal up to a version
	Cut        Kind = "cut"      // the journal was cut back to a version, since it was damaged
	Dropped    Kind = "dropped"  // entries beyond the limit were counted, not kept
)

// cheap says whether a caller can have as many entries of a kind as they like, and nothing was done in them.
func (k Kind) cheap() bool { return k == Denied || k == Unknown || k == TokenUsed }

// Entry is one line of the record.
type Entry struct {
	Seq    uint64    `json:"seq"` // from 1, without gaps
	At     time.Time `json:"at"`
	Kind   Kind      `json:"kind"`
	Actor  string    `json:"actor,omitempty"`  // as the journal shows it; "" where it is unknown
	Source string    `json:"source,omitempty"` // an address, or the name of a socket
	Token  string    `json:"token,omitempty"`  // what was shown, by name
	Call   string    `json:"call,omitempty"`   // the RPC or the page
	Text   string    `json:"text,omitempty"`
	Times  uint64    `json:"times,omitempty"` // how often it happened, where that is more than once
	// Of a head.
	Version uint64 `json:"version,omitempty"` // of the journal
	Chain   string `json:"chain,omitempty"`   // in hex
}

// same is what two entries share that are counted instead of kept twice.
type same struct {
	kind                             Kind
	actor, source, token, call, text string
}

// same is what an entry is counted by. Of callers who are unknown that is the address alone:
// all else is what they say, and could be another thing each time.
func (e Entry) same() same {
	if e.Kind == Unknown {
		return same{kind: e.Kind, source: host(e.Source)}
	}
	return same{e.Kind, e.Actor, host(e.Source), e.Token, e.Call, e.Text}
}

// caller is whose entry it is, as far as that is known: an address of those who are unknown.
func (e Entry) caller() string {
	if e.Kind == Unknown || e.Actor == "" {
		return host(e.Source)
	}
	return e.Actor
}

// host is an address without its port, which is another one with each connection.
func host(source string) string {
	for i := len(source) - 1; i >= 0; i-- {
		switch c := source[i]; {
		case c == ':' && i < len(source)-1:
			return source[:i]
		case c < '0' || c > '9':
			return source
		}
	}
	return source
}
