package server

import (
	"path/filepath"

	"github.com/muster-fleet/muster/internal/run/provision/tofu"
)

// mostOfLog is how much of a log is shown, from its end, in bytes.
const mostOfLog = 64 << 10

// buildLog is the end of the log of an operation that this server, or one that shares its folder,
// runs. The log has no secrets that its run knew; those of adapters are taken out here.
func (s *server) buildLog(operation string) (string, bool, error) {
	if s.Outside.Tofu.Projects == "" {
		return "", false, nil
	}
	text, cut, err := tofu.TailOf(s.Outside.Tofu.folder(s.folder.Path), operation, mostOfLog)
	if err != nil || len(text) == 0 {
		return "", false, err
	}
	shown, err := s.Outside.masked(string(text))
	return shown, cut && err == nil, err
}

// folder is where states, runs and logs are kept.
func (o *tofuOptions) folder(data string) string {
	if o.Folder != "" {
		return o.Folder
	}
	return filepath.Join(data, "tofu")
}
