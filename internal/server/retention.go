package server

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/answer/retain"
	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/gate"
	"github.com/muster-fleet/muster/internal/run/journal/named"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// retention is for how long records are kept, as people write it: 90d. 0: for ever.
type retention time.Duration

// String is part of pflag.Value.
func (r *retention) String() string {
	if *r == 0 {
		return ""
	}
	return strconv.Itoa(int(time.Duration(*r)/(24*time.Hour))) + "d"
}

// Type is part of pflag.Value.
func (*retention) Type() string { return "DAYS" }

// Set is part of pflag.Value.
func (r *retention) Set(text string) error {
	days, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	is := time.Duration(days) * 24 * time.Hour
	if err != nil || days > 36500 || is < retain.Least {
		return fmt.Errorf("write a number of days, %dd or more: the idempotency keys of a week are in the records", int(retain.Least/(24*time.Hour)))
	}
	*r = retention(is)
	return nil
}

// before is the moment before which records are dropped.
func (r *retention) before(now time.Time) fleet.Instant {
	return fleet.InstantOf(now.Add(-time.Duration(*r)))
}

// kept are the records that are kept word by word.
var kept = map[string]func([]byte) bool{api.HistoryPart: api.ConcernsQuotas}

// How often a server looks for what is to be dropped, and how long after its start it begins. It reads
// so many records at once and rests after them, so that no command waits for it.
const (
	trimFirst  = 10 * time.Minute
	trimEvery  = 6 * time.Hour
	trimAtOnce = 1024
	trimRest   = 20 * time.Millisecond
)

// trim drops old records now and then until ctx ends. One that does not succeed is tried again.
func (s *server) trim(ctx context.Context) error {
	if s.Retain == 0 {
		return nil
	}
	for wait := trimFirst; ; wait = trimEvery {
		if gate.Pause(ctx, wait); ctx.Err() != nil {
			return nil //nolint:nilerr // the server ends
		}
		report, err := retain.Trim(ctx, s.journal, s.Retain.before(time.Now()), retain.Options{Keep: kept, Progress: func(seq uint64) {
			if seq%trimAtOnce == 0 {
				gate.Pause(ctx, trimRest)
			}
		}})
		switch {
		case err != nil && ctx.Err() == nil:
			s.log.Error("old records are not dropped; it is tried again", "error", err, "again in", trimEvery)
		case err == nil && report.Dropped > 0:
			s.log.Info("old records are dropped", "records", report.Dropped, "first", report.First)
		}
	}
}

// trimCommand is what `muster journal trim` was asked for.
type trimCommand struct {
	*journalCommand
	retain  retention
	archive string
}

func newTrim(o *journalCommand) *cobra.Command {
	t := &trimCommand{journalCommand: o}
	cmd := &cobra.Command{
		Use:   "trim JOURNAL",
		Short: "drop old records, and keep what is to be known of them",
		Long: `Trim drops the records that are older than so many days. What is kept: the state after them, the past as it is
rolled up (muster past), who changed quotas when and why, and the link by which verify and the audit log prove the rest.
The state of a moment before is not known any more. A server may run meanwhile; muster up --retain does the same by itself.

` + journalAddresses,
		Example: "  muster journal trim /var/lib/muster --retain 90d --archive /backup/until-today.log",
		Args:    cli.Needs(1, 1, "JOURNAL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if t.retain == 0 {
				return cli.Usage("for how long are records kept? Write --retain 90d")
			}
			return t.trim(cmd.Context(), args[0])
		},
	}
	cmd.Flags().Var(&t.retain, "retain", "days for which records are kept, 90d; 8d at least")
	cmd.Flags().StringVar(&t.archive, "archive", "", "file that the whole journal is exported to first (muster journal import reads it)")
	return cmd
}

func (t *trimCommand) trim(ctx context.Context, name string) error {
	if t.archive != "" {
		if err := t.export(ctx, name, t.archive); err != nil {
			return err
		}
	}
	if j, err := named.Read(ctx, name); err != nil { // Write would make one
		return cli.Malformed(err)
	} else if err := j.Close(); err != nil {
		return err
	}
	j, err := named.Write(ctx, name)
	if err != nil {
		return cli.Malformed(err)
	}
	report, err := retain.Trim(ctx, j, t.retain.before(time.Now()), retain.Options{Keep: kept, Progress: t.progress()})
	if err := errors.Join(err, j.Close()); err != nil {
		return err
	}
	t.report(report)
	return nil
}

func (t *trimCommand) report(r retain.Report) {
	if r.Dropped == 0 {
		t.tell("No record is older than %s; the journal begins with record %d.", t.retain.String(), r.First)
		return
	}
	t.tell("Dropped %d records; the journal begins with record %d now. %d bytes stand in their place.", r.Dropped, r.First, r.Bytes)
}
