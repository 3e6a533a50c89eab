package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-fleet/muster/internal/decide/core"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/engine"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/named"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/state/event"
)

// journalCommand is what the commands about journals have in common.
type journalCommand struct {
	*cli.Program
	at      string // moment to restore to; "": the last record
	version uint64 // record to restore to; 0: the last
}

const journalAddresses = `A journal is named by the data folder that it lies in, by its file (fleet.db), or by the address of its
database (postgres://…).`

func newJournal(p *cli.Program) *cobra.Command {
	o := &journalCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "copy, prove, export and import journals",
		Long:  "Journal works on the log of a server, whether that runs or not.\n\n" + journalAddresses,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use:   "copy FROM TO",
			Short: "copy a journal byte for byte, also from one kind of database to another",
			Long: "Copy appends to the second journal what it lacks of the first. A server may write to the first meanwhile: the\nsame command goes on where it ended. None may write to the second.\n\n" +
				journalAddresses,
			Example: "  muster journal copy /var/lib/muster postgres://muster@db/muster",
			Args:    cli.Needs(2, 2, "FROM TO"),
			RunE:    func(cmd *cobra.Command, args []string) error { return o.copy(cmd.Context(), args[0], args[1]) },
		},
		&cobra.Command{
			Use:     "verify JOURNAL",
			Short:   "prove a journal: every checksum, and that all of it can be replayed",
			Long:    "Verify reads the whole log, proves every checksum, and builds the state from it.\n\n" + journalAddresses,
			Example: "  muster journal verify /var/lib/muster",
			Args:    cli.Needs(1, 1, "JOURNAL"),
			RunE:    func(cmd *cobra.Command, args []string) error { return o.verify(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use:     "export FROM FILE",
			Short:   "write a journal into one file that every version can read",
			Long:    "Export writes the log, without snapshots, into a file with a checksum for each record.\n\n" + journalAddresses,
			Example: "  muster journal export /var/lib/muster fleet.log",
			Args:    cli.Needs(2, 2, "FROM FILE"),
			RunE:    func(cmd *cobra.Command, args []string) error { return o.export(cmd.Context(), args[0], args[1]) },
		},
		&cobra.Command{
			Use:     "import FILE TO",
			Short:   "read what export wrote into an empty journal",
			Long:    "Import appends an export to an empty journal, and proves every record on the way.\n\n" + journalAddresses,
			Example: "  muster journal import fleet.log /var/lib/muster",
			Args:    cli.Needs(2, 2, "FILE TO"),
			RunE:    func(cmd *cobra.Command, args []string) error { return o.bringIn(cmd.Context(), args[0], args[1]) },
		},
		newTrim(o),
	)
	return cmd
}

func newBackup(p *cli.Program) *cobra.Command {
	o := &journalCommand{Program: p}
	return &cobra.Command{
		Use:   "backup FROM FILE",
		Short: "copy the journal of a server that runs into a file, and prove the copy by a replay",
		Long: `Backup copies a journal into a SQLite file and builds the state from the copy. The server goes on meanwhile. The
same command with the same file adds what has come since.

` + journalAddresses,
		Example: "  muster backup /var/lib/muster /backup/fleet.db",
		Args:    cli.Needs(2, 2, "FROM FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.copy(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			return o.verify(cmd.Context(), args[1])
		},
	}
}

func newRestore(p *cli.Program) *cobra.Command {
	o := &journalCommand{Program: p}
	cmd := &cobra.Command{
		Use:   "restore FILE TO",
		Short: "make a new journal of a backup, up to a moment",
		Long: `Restore copies a backup into an empty journal: all of it, or what had happened by a moment. A server on it goes on
from there, and compares with its clusters.

` + journalAddresses,
		Example: "  muster restore /backup/fleet.db /var/lib/muster\n  muster restore /backup/fleet.db /var/lib/muster --at 2026-11-20T14:00:00Z",
		Args:    cli.Needs(2, 2, "FILE TO"),
		RunE:    func(cmd *cobra.Command, args []string) error { return o.restore(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().StringVar(&o.at, "at", "", "moment (2026-11-20T14:00:00Z) up to which is restored; without it all is")
	cmd.Flags().Uint64Var(&o.version, "version", 0, "version up to which is restored")
	return cmd
}

func (o *journalCommand) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(o.Env.Out, format+"\n", args...)
}

// progress says now and then how far something is, on a terminal.
func (o *journalCommand) progress() func(uint64) {
	next := time.Now().Add(time.Second)
	return func(seq uint64) {
		if o.Env.ErrTerminal && time.Now().After(next) {
			_, _ = fmt.Fprintf(o.Env.Err, "\r%d records\x1b[K", seq)
			next = time.Now().Add(time.Second)
		}
	}
}

// between opens two journals, lets do work on them, and closes both.
func between(ctx context.Context, from, to string, do func(from, to journal.Journal) error) error {
	source, err := named.Read(ctx, from)
	if err != nil {
		return cli.Malformed(err)
	}
	defer source.Close()
	datafolder.OwnFiles() // a copy says no less than the journal itself
	target, err := named.Write(ctx, to)
	if err != nil {
		return cli.Malformed(err)
	}
	return errors.Join(do(source, target), target.Close())
}

func (o *journalCommand) copy(ctx context.Context, from, to string) error {
	return between(ctx, from, to, func(source, target journal.Journal) error {
		last, err := journal.Copy(ctx, target, source, o.progress())
		if err == nil {
			o.tell("Copied up to record %d.", last)
		}
		return err
	})
}

func (o *journalCommand) verify(ctx context.Context, name string) error {
	j, err := named.Read(ctx, name)
	if err != nil {
		return cli.Malformed(err)
	}
	defer j.Close()
	base, err := j.Base(ctx)
	if err != nil {
		return err
	}
	state, _, err := engine.ReadBase(base)
	if err != nil {
		return err
	}
	progress := o.progress()
	err = j.Read(ctx, base.Seq+1, func(en journal.Entry) error {
		rec, err := event.Decode(en.Data)
		if err == nil {
			core.ApplyRecord(state, rec)
			progress(rec.Seq)
		}
		return err
	})
	if err != nil {
		return err
	}
	o.tell("Proven: %d records; the state after them is %s.", state.Seq-base.Seq, state.Hash())
	if base.Seq > 0 {
		o.tell("Records up to %d, of %s, are not kept any more.", base.Seq, time.Unix(0, base.At).UTC().Format(time.RFC3339))
	}
	if snap, ok, err := j.SnapshotBefore(ctx, state.Seq); err == nil && ok {
		o.tell("The newest snapshot is of record %d, by %s.", snap.Seq, engine.SnapshotWriter(snap.Data))
	}
	return nil
}

func (o *journalCommand) export(ctx context.Context, from, file string) error {
	j, err := named.Read(ctx, from)
	if err != nil {
		return cli.Malformed(err)
	}
	defer j.Close()
	var last uint64
	err = wholefile.Write(file, func(w io.Writer) (err error) {
		last, err = journal.Export(ctx, w, j, o.progress())
		return err
	})
	if err == nil {
		o.tell("Exported up to record %d.", last)
	}
	return err
}

func (o *journalCommand) bringIn(ctx context.Context, file, to string) error {
	if ok, err := journal.Exported(file); err != nil || !ok {
		return cli.Malformed(cmp.Or(err, fmt.Errorf("%s is no export of a journal; muster journal export writes one, and muster restore reads what muster backup wrote", file)))
	}
	f, err := os.Open(file)
	if err != nil {
		return cli.Malformed(err)
	}
	defer f.Close()
	j, err := named.Write(ctx, to)
	if err != nil {
		return cli.Malformed(err)
	}
	last, err := journal.Import(ctx, j, f, o.progress())
	if err = errors.Join(err, j.Close()); err == nil {
		o.tell("Imported up to record %d.", last)
	}
	return err
}

// until is a journal up to a record.
type until struct {
	journal.Journal
	last uint64
}

// reaches refuses to restore what the journal does not have any more.
func reaches(ctx context.Context, j journal.Journal) error {
	u, ok := j.(until)
	if !ok {
		return nil
	}
	base, err := j.Base(ctx)
	if err == nil && base.Seq > u.last {
		err = cli.Malformed(base.Lacks(max(u.last, 1)))
	}
	return err
}

var errPast = errors.New("past the end")

// Read reads no further than the record.
func (u until) Read(ctx context.Context, from uint64, fn func(journal.Entry) error) error {
	err := u.Journal.Read(ctx, from, func(e journal.Entry) error {
		if e.Seq > u.last {
			return errPast
		}
		return fn(e)
	})
	if errors.Is(err, errPast) {
		return nil
	}
	return err
}

func (o *journalCommand) restore(ctx context.Context, from, to string) error {
	if o.at != "" && o.version > 0 {
		return cli.Usage("--at and --version both say up to where; give one of them")
	}
	var at time.Time
	if o.at != "" {
		var err error
		if at, err = time.Parse(time.RFC3339, o.at); err != nil {
			return cli.Usage("--at %.40q; write a moment as 2026-11-20T14:00:00Z", o.at)
		}
	}
	source, err := named.Read(ctx, from)
	if err != nil {
		return cli.Malformed(err)
	}
	defer source.Close()
	upTo, err := o.upTo(ctx, from, source, at)
	if err != nil {
		return err
	}
	target, err := named.Write(ctx, to)
	if err != nil {
		return cli.Malformed(err)
	}
	return errors.Join(o.restored(ctx, target, upTo, to), target.Close())
}

func (o *journalCommand) restored(ctx context.Context, target, source journal.Journal, to string) error {
	if last, _, err := target.Last(ctx); err != nil || last > 0 {
		return errors.Join(err, cli.Malformed(fmt.Errorf("%s holds %d records; restore into an empty journal", to, last)))
	}
	last, err := journal.Copy(ctx, target, source, o.progress())
	if err == nil {
		o.tell("Restored up to record %d.", last)
	}
	return err
}

// upTo is a journal up to the record or the moment that was asked for, which it must reach.
func (o *journalCommand) upTo(ctx context.Context, name string, j journal.Journal, at time.Time) (journal.Journal, error) {
	last, _, err := j.Last(ctx)
	switch {
	case err != nil:
		return nil, err
	case o.version > last:
		return nil, cli.Malformed(fmt.Errorf("%s ends with record %d; --version %d comes after it", name, last, o.version))
	case o.version > 0:
		return until{j, o.version}, reaches(ctx, until{j, o.version})
	case at.IsZero():
		return j, nil
	}
	seq, err := j.SeqAt(ctx, at.UnixNano())
	if err == nil && seq == 0 {
		err = o.before(ctx, name, j)
	}
	return until{j, seq}, errors.Join(err, reaches(ctx, until{j, seq}))
}

// before refuses a moment before the first record. Where there is none yet, every moment is as empty.
func (o *journalCommand) before(ctx context.Context, name string, j journal.Journal) error {
	return j.Read(ctx, 1, func(en journal.Entry) error {
		return cli.Malformed(fmt.Errorf("%s begins at %s; --at %s is before that", name, time.Unix(0, en.At).UTC().Format(time.RFC3339), o.at))
	})
}
