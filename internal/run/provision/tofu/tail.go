package tofu

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// TailOf is the end of a run's log in a runner's folder: whole lines, of at most so many bytes. cut
// says that there are more before them. No log is no error: the text is empty then.
func TailOf(folder, operation string, most int64) (text []byte, cut bool, err error) {
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = root.Close() }()
	f, err := root.Open(path.Join("runs", path.Base("/"+operation), "log")) // one name: it leads nowhere else
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	return tail(f, most)
}

// tail reads the last whole lines of a file.
func tail(f *os.File, most int64) (text []byte, cut bool, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	from := max(0, info.Size()-most)
	text, err = io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil || from == 0 {
		return text, false, err
	}
	_, text, _ = bytes.Cut(text, []byte("\n")) // the first line may have lost its beginning
	return text, true, nil
}
