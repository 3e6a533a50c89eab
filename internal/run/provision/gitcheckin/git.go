package gitcheckin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// patience is how long git may take to end once its time is up.
const patience = 2 * time.Second

// git runs git in a folder, and answers what it writes. An error after which nothing has
// happened is a *provision.Refused.
func (c *Checkin) git(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = folder, c.environment(), patience
	var out, says bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &says
	err := cmd.Run()
	switch {
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		err = errors.New("git check-in: the git program is not installed where Muster runs")
		return "", &provision.Refused{Class: fleet.ErrorFix, Err: err}
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s: %w", args[0], ctx.Err())
	}
	text := c.mask(says.String())
	err = fmt.Errorf("git %s: %w: %s", args[0], err, text)
	if class, refused := classOf(text); refused {
		return "", &provision.Refused{Class: class, Err: err}
	}
	return "", err
}

// environment lets git ask no person, and heed no settings of the machine. A token goes by
// the environment: arguments are seen by every process of the machine.
func (c *Checkin) environment() []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "SSH_AUTH_SOCK=" + os.Getenv("SSH_AUTH_SOCK"), "LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_SSH_COMMAND=ssh -o BatchMode=yes",
		"GIT_AUTHOR_NAME=Muster", "GIT_AUTHOR_EMAIL=muster@localhost", "GIT_COMMITTER_NAME=Muster", "GIT_COMMITTER_EMAIL=muster@localhost",
	}
	return append(env, c.place().Environment...)
}

// place is the repository as git is told of it.
func (c *Checkin) place() provision.GitPlace { return provision.GitPlaceOf(c.Repository, c.Token) }

// mostText bounds what is kept of git's words.
const mostText = 500

// mask takes what is secret out of git's words, and makes one line of them.
func (c *Checkin) mask(text string) string {
	text = provision.Masker(c.place().Secrets...)(text)
	text = strings.Join(strings.Fields(text), " ")
	return text[:min(len(text), mostText)]
}

// classOf says what git's words ask for; false: whether something has happened is not known.
func classOf(text string) (fleet.ErrorClass, bool) {
	for _, x := range []struct {
		words string
		class fleet.ErrorClass
	}{
		{"Authentication failed", fleet.ErrorPerson},
		{"could not read Username", fleet.ErrorPerson},
		{"Permission denied", fleet.ErrorPerson},
		{"returned error: 401", fleet.ErrorPerson},
		{"returned error: 403", fleet.ErrorPerson},
		{"returned error: 429", fleet.ErrorWait},
		{"Remote branch", fleet.ErrorFix}, // the branch that counts is not there
		{"does not appear to be a git repository", fleet.ErrorFix},
		{"does not exist", fleet.ErrorFix},
		{"Repository not found", fleet.ErrorFix},
		{"stale info", fleet.ErrorRetry}, // the branch is there: it is found the next time
	} {
		if strings.Contains(text, x.words) {
			return x.class, true
		}
	}
	return fleet.ErrorUnknown, false
}
