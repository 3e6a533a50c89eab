package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
)

// FailedError says that every file could be read and some scenario failed: exit code 1.
type FailedError struct{ Passed, Failed int }

func (e *FailedError) Error() string {
	return fmt.Sprintf("%d of %d scenarios failed", e.Failed, e.Passed+e.Failed)
}

// MalformedError says that files could not be read as scenarios: exit code 2.
type MalformedError struct{ Files int }

func (e *MalformedError) Error() string {
	return fmt.Sprintf("%d files are no scenarios; what is wrong with each is said above", e.Files)
}

// RunAll runs every file, and every .yaml file in every folder, and prints a
// line for each and the sum. The error is a *FailedError, a *MalformedError (after
// the rest has run), or the world's.
func RunAll(ctx context.Context, out io.Writer, paths []string) error {
	return RunAllBy(ctx, out, paths, Run)
}

// Teller tells the story of a file, on whatever cluster.
type Teller func(ctx context.Context, f *File) (Report, error)

// RunAllBy is RunAll by a teller of one's own.
func RunAllBy(ctx context.Context, out io.Writer, paths []string, by Teller) error {
	passed, failed := 0, 0
	err := EachBy(ctx, paths, by, func(file string, report Report, wrong yamlfile.Errors) {
		switch {
		case wrong != nil:
			fmt.Fprintf(out, "FAIL %s\n%v\n", file, wrong)
			failed++
			return
		case report.Passed():
			passed++
		default:
			failed++
		}
		report.Write(out)
	})
	if passed+failed > 0 {
		fmt.Fprintf(out, "%d passed, %d failed\n", passed, failed)
	}
	return err
}

// Each runs every file, and every .yaml file in every folder, and hands on what
// came of each: its report, or what is wrong with it as a scenario. Its error is
// RunAll's.
func Each(ctx context.Context, paths []string, tell func(file string, report Report, wrong yamlfile.Errors)) error {
	return EachBy(ctx, paths, Run, tell)
}

// EachBy is Each by a teller of one's own.
func EachBy(ctx context.Context, paths []string, by Teller, tell func(file string, report Report, wrong yamlfile.Errors)) error {
	files, err := gather(paths)
	if err != nil {
		return err
	}
	passed, failed, malformed := 0, 0, 0
	for _, file := range files {
		report, err := loadAndRun(ctx, file, by)
		var wrong yamlfile.Errors
		switch {
		case errors.As(err, &wrong):
			malformed++
		case err != nil:
			return err
		case report.Passed():
			passed++
		default:
			failed++
		}
		tell(file, report, wrong)
	}
	switch {
	case malformed > 0:
		return &MalformedError{malformed}
	case failed > 0:
		return &FailedError{passed, failed}
	}
	return nil
}

// LoadAndRun reads one file and runs it.
func LoadAndRun(ctx context.Context, path string) (Report, error) {
	return loadAndRun(ctx, path, Run)
}

func loadAndRun(ctx context.Context, path string, by Teller) (Report, error) {
	f, err := Load(path)
	if err != nil {
		return Report{}, err
	}
	return by(ctx, f)
}

// gather lists the files that paths name, those of a folder in order of name.
func gather(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		found, err := inFolder(path)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s holds no scenario files (*.yaml)", path)
		}
		files = append(files, found...)
	}
	return files, nil
}

func inFolder(folder string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")) {
			found = append(found, path)
		}
		return err
	})
	sort.Strings(found)
	return found, err
}
