package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/muster-fleet/muster/internal/answer/past/keeper"
	"github.com/muster-fleet/muster/internal/faces/cli"
	"github.com/muster-fleet/muster/internal/run/journal"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/journal/sqlite"
	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// openJournal opens the journal of a data folder, or says why it cannot be and
// what to do.
func (s *server) openJournal(ctx context.Context) (journal.Journal, error) {
	if s.Journal != "" {
		return s.openDatabase(ctx)
	}
	path := s.folder.File(datafolder.Journal)
	j, err := sqlite.Open(ctx, path, sqlite.Options{Salvage: s.Salvage, FullCheck: s.FullCheck})
	if errors.Is(err, journal.ErrGone) && s.NewFleet {
		if s.aside, err = sqlite.SetAside(path); err != nil {
			return nil, fmt.Errorf("set aside what is left of the old journal: %w", err)
		}
		j, err = sqlite.Open(ctx, path, sqlite.Options{})
	}
	var corrupt *journal.CorruptError
	var newer *journal.VersionError
	switch {
	case errors.Is(err, journal.ErrGone):
		return nil, cli.Malformed(fmt.Errorf("%w; %s", err, beginAnew))
	case errors.As(err, &newer), errors.Is(err, journal.ErrReadOnly), errors.Is(err, journal.ErrDiskFull), errors.Is(err, journal.ErrLocked):
		return nil, cli.Malformed(err)
	case errors.As(err, &corrupt) && !s.Salvage:
		return nil, fmt.Errorf("%w; start once with --salvage to keep all that can be proven (the damaged files are kept aside), or bring the journal back from a backup. A copy of a folder whose server ran (cp -a) may be damaged; muster backup makes copies that are whole", err)
	case err != nil:
		return nil, err
	}
	if report, ok := j.Salvaged(); ok {
		s.salvaged = &report
	}
	return j, nil
}

// statementPatience is how long the database may take for one statement: a caller that waits for
// an append is told then that the database is away.
const statementPatience = 5 * time.Second

// openDatabase opens the journal in a database.
func (s *server) openDatabase(ctx context.Context) (journal.Journal, error) {
	if hosts := postgres.Unproven(s.Journal); len(hosts) > 0 {
		s.log.Warn("the database proves not who it is: a network in between could read the journal and change it; write sslmode=verify-full into its address, and sslrootcert where its authority is your own", "hosts", hosts)
	}
	j, err := postgres.Open(ctx, s.Journal, postgres.Options{FullCheck: s.FullCheck, Timeout: statementPatience})
	var newer *journal.VersionError
	if errors.As(err, &newer) || errors.Is(err, journal.ErrUnavailable) {
		return nil, cli.Malformed(err)
	}
	if err != nil {
		return nil, err
	}
	return j, nil
}

const beginAnew = "bring it back from a copy, or start once with --new-fleet to begin an empty fleet (what is left of the old one is kept aside)"

// checkEmpty refuses to begin an empty fleet where something shows that there was one: its
// cluster would be emptied to match it.
func (s *server) checkEmpty() error {
	if s.records > 0 && s.NewFleet {
		return cli.Malformed(fmt.Errorf("data folder %s holds a fleet at version %d, and --new-fleet begins an empty one; name another folder with --data", s.folder.Path, s.records))
	}
	if s.records > 0 || s.NewFleet {
		return nil
	}
	if heard := keeper.Heard(s.folder.File(datafolder.Past)); heard > 0 {
		return cli.Malformed(fmt.Errorf("the journal in %s is empty, though %s tells of %d records; %s", s.folder.Path, datafolder.Past, heard, beginAnew))
	}
	if joined, _ := filepath.Glob(filepath.Join(s.folder.File(datafolder.Agents), "*.uid")); len(joined) > 0 {
		return cli.Malformed(fmt.Errorf("the journal in %s is empty, though clusters have joined its fleet (%s); %s", s.folder.Path, filepath.Base(joined[0]), beginAnew))
	}
	return nil
}

// checkLost refuses likewise by what the audit log names: it is written to the end of a stop, when
// the other things that tell of records may be behind.
func (s *server) checkLost() error {
	if s.records > 0 || s.NewFleet {
		return nil
	}
	if version, _, known := s.audit.LastHead(); known {
		return cli.Malformed(fmt.Errorf("the journal in %s is empty, though its audit log names version %d; %s", s.folder.Path, version, beginAnew))
	}
	return nil
}
