package server

import (
	"context"

	"github.com/muster-fleet/muster/internal/clusters/link"
	"github.com/muster-fleet/muster/internal/run/journal/postgres"
	"github.com/muster-fleet/muster/internal/run/notify"
	"github.com/muster-fleet/muster/internal/server/datafolder"
	"github.com/muster-fleet/muster/internal/server/sharedfiles"
)

// firstShare makes the files of this server those of the others before it uses any. What no server
// has yet this one makes, unless another is quicker.
func (s *server) firstShare(ctx context.Context) (err error) {
	j, ok := s.journal.(*postgres.Journal)
	if !ok {
		sharedfiles.Forget(s.folder.Path) // of a time before
		return nil
	}
	s.sharing, err = sharedfiles.New(sharedfiles.Options{
		Journal: j, Dir: s.folder.Path, KeyFile: s.Session.KeyFile, Leads: func() bool { return s.leadership.Term() > 0 }, Log: s.log,
	})
	if err != nil {
		return err
	}
	if err := s.sharing.Sync(ctx); err != nil {
		return err
	}
	if err := notify.MakeKey(s.folder.Path); err != nil {
		return err
	}
	if s.Agents != "" && s.AgentsTLS == "" {
		if _, err := link.OpenAuthority(s.folder.File(datafolder.Agents)); err != nil {
			return err
		}
	}
	return s.sharing.Sync(ctx)
}

// share keeps the files alike until ctx ends.
func (s *server) share(ctx context.Context) error {
	if s.sharing != nil {
		s.sharing.Keep(ctx)
	}
	return nil
}
