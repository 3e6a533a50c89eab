package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// open reads a file that the command line names; - is standard input.
func (a *app) open(name string) ([]byte, error) {
	if name != "-" {
		data, err := yamlfile.ReadFile(name)
		return data, Malformed(err)
	}
	data, err := io.ReadAll(io.LimitReader(a.In, yamlfile.MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("standard input: %w", err)
	case len(data) > yamlfile.MaxBytes:
		return nil, usage("standard input is larger than 64 MiB; split it")
	}
	return data, nil
}

// exists refuses a path that leads nowhere.
func exists(path string) error {
	_, err := os.Stat(path)
	return Malformed(err)
}
