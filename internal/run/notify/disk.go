package notify

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// The files beside the journal. Servers of one fleet need the same.
const (
	KeyFile    = "webhook.key"
	CursorFile = "webhook.cursors.json"
	KnownFile  = "webhook.key.known" // by which a key is known that is another than it was
)

// findKey finds the key in a folder. changed says that it is another than when it was used last.
func findKey(dir string) (key Key, changed bool, err error) {
	key, err = readKey(dir)
	if err != nil {
		return nil, false, err
	}
	path := filepath.Join(dir, KnownFile)
	name := sha256.Sum256(key)
	is := hex.EncodeToString(name[:8])
	was, err := os.ReadFile(path)
	if err == nil && strings.TrimSpace(string(was)) == is {
		return key, false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	return key, err == nil, wholefile.WriteBytes(path, []byte(is+"\n"))
}

// MakeKey makes a key in a folder that has none.
func MakeKey(dir string) error {
	_, err := readKey(dir)
	return err
}

// readKey reads the key in a folder, or makes one that only its owner may read.
func readKey(dir string) (Key, error) {
	path := filepath.Join(dir, KeyFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key := make(Key, 32)
		_, _ = rand.Read(key)
		return key, wholefile.WriteBytes(path, []byte(hex.EncodeToString(key)+"\n"))
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("%s holds no key of 64 hex digits; put the right file back, or delete it: all secrets change then", path)
	}
	return key, nil
}

func readCursors(dir string) (map[string]uint64, error) {
	path := filepath.Join(dir, CursorFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]uint64{}, nil
	}
	if err != nil {
		return nil, err
	}
	cursors := map[string]uint64{}
	if err := json.Unmarshal(text, &cursors); err != nil {
		return nil, fmt.Errorf("%s: %w; delete it to begin with what happens from now on", path, err)
	}
	return cursors, nil
}

func writeCursors(dir string, cursors map[string]uint64) error {
	text, err := json.Marshal(cursors)
	if err != nil {
		return err
	}
	return wholefile.WriteBytes(filepath.Join(dir, CursorFile), append(text, '\n'))
}
