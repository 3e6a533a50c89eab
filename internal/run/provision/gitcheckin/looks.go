package gitcheckin

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
)

// headFor is how long the head of the branch is believed, so that many clusters that wait for
// their merge cost one question.
const headFor = 30 * time.Second

// looks are where the branch stood when clusters were looked for on it.
type looks struct {
	mu    sync.Mutex
	head  string
	at    time.Time         // when it was asked for
	empty map[string]string // by cluster: the head at which its record was not there, and that record
}

// CheckedIn finds the commit of the branch that counts, if the record stands there as it is
// wanted. A branch that has not moved since is not copied again.
func (c *Checkin) CheckedIn(ctx context.Context, s provision.Subject) (string, error) {
	want, err := Render(s.Record)
	if err != nil {
		return "", err
	}
	head, err := c.head(ctx)
	if err != nil {
		return "", err
	}
	stood := head + "\n" + string(want)
	if c.knownEmpty(s.Record.Name) == stood {
		return "", nil
	}
	commit, err := c.Merged(ctx, s.Record)
	if err == nil && commit == "" {
		c.keepEmpty(s.Record.Name, stood)
	}
	return commit, err
}

// head is where the branch that counts stands.
func (c *Checkin) head(ctx context.Context) (string, error) {
	c.looks.mu.Lock()
	defer c.looks.mu.Unlock()
	if age := c.now().Sub(c.looks.at); age >= 0 && age < headFor {
		return c.looks.head, nil
	}
	text, err := c.git(ctx, "", "ls-remote", "--heads", c.place().Address, "refs/heads/"+c.branch())
	if err != nil {
		return "", err
	}
	c.looks.head, _, _ = strings.Cut(text, "\t")
	c.looks.at = c.now()
	return c.looks.head, nil
}

func (c *Checkin) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

func (c *Checkin) knownEmpty(cluster string) string {
	c.looks.mu.Lock()
	defer c.looks.mu.Unlock()
	return c.looks.empty[cluster]
}

func (c *Checkin) keepEmpty(cluster, stood string) {
	c.looks.mu.Lock()
	defer c.looks.mu.Unlock()
	if c.looks.empty == nil {
		c.looks.empty = map[string]string{}
	}
	c.looks.empty[cluster] = stood
}
