package keeper

import (
	"bufio"
	"compress/flate"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/muster-fleet/muster/internal/answer/past"
	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// The first line of a file of notes says how the rest is to be read. Raise the
// number whenever past.Notes changes its meaning: older notes are then gathered anew.
const header = "muster past 5\n"

// load reads notes that save wrote.
func load(path string) (n past.Notes, err error) {
	f, err := os.Open(path)
	if err != nil {
		return n, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	first := make([]byte, len(header))
	if _, err := io.ReadFull(r, first); err != nil || string(first) != header {
		return n, errors.New("its notes are of another version")
	}
	n = past.New().Notes // gob leaves out what is empty
	if err := gob.NewDecoder(flate.NewReader(r)).Decode(&n); err != nil {
		return n, fmt.Errorf("its notes cannot be read: %w", err)
	}
	return n, nil
}

// save writes notes into a file of that name, whole or not at all.
func save(path string, n past.Notes) error {
	return wholefile.Write(path, func(f io.Writer) error { return write(f, n) })
}

func write(f io.Writer, n past.Notes) error {
	b := bufio.NewWriterSize(f, 1<<16)
	if _, err := b.WriteString(header); err != nil {
		return err
	}
	z, err := flate.NewWriter(b, flate.BestSpeed)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(z).Encode(n), z.Close(), b.Flush())
}
