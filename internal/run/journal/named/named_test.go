package named

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/run/journal"
)

func TestAJournalIsFoundByItsFolderAndByItsFile(t *testing.T) {
	ctx, folder := context.Background(), filepath.Join(t.TempDir(), "fleet")
	j, err := Write(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Append(ctx, []journal.Entry{{Seq: 1, At: 10, Data: []byte("one")}}), j.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{folder, filepath.Join(folder, File)} {
		j, err := Read(ctx, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := 0
		if err := j.Read(ctx, 1, func(journal.Entry) error { n++; return nil }); err != nil || n != 1 {
			t.Errorf("%s has %d entries (%v), want 1", name, n, err)
		}
		if err := j.Append(ctx, []journal.Entry{{Seq: 2, At: 20, Data: []byte("two")}}); !errors.Is(err, journal.ErrReadOnly) {
			t.Errorf("%s: an append to what was opened to be read returns %v", name, err)
		}
		_ = j.Close()
	}
}

// An operator who names the folder of a server with its journal in a database hears how to name that.
func TestAFolderWithoutAJournalIsSaid(t *testing.T) {
	if _, err := Read(context.Background(), t.TempDir()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "postgres://") {
		t.Errorf("a folder without a journal gives %v", err)
	}
}

func TestANewFileIsNotTakenForAFolder(t *testing.T) {
	ctx, file := context.Background(), filepath.Join(t.TempDir(), "copy.db")
	j, err := Write(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	_ = j.Close()
	if j, err = Read(ctx, file); err != nil {
		t.Fatal(err)
	}
	_ = j.Close()
}

func TestNothingIsMadeWhereAJournalIsRead(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{folder, filepath.Join(folder, "gone"), filepath.Join(folder, "gone.db")} {
		if _, err := Read(context.Background(), name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v, want that it is not there", name, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); len(files) > 0 {
		t.Errorf("a reader made %v", files)
	}
}
