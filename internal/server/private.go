package server

import "github.com/muster-fleet/muster/internal/server/datafolder"

// tighten keeps the data folder private, and tells what it found.
func (s *server) tighten() {
	changed, failed := datafolder.KeepPrivate(s.folder.Path)
	if len(changed) > 0 {
		s.log.Warn("others could read or write files of the data folder; now they cannot", "files", len(changed), "first", changed[0])
	}
	if len(failed) > 0 {
		s.log.Warn("others may read or write files of the data folder, and this user cannot change that: chmod 700 the folder and 600 its files", "files", len(failed), "first", failed[0])
	}
}
