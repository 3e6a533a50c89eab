package signin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/muster-fleet/muster/internal/run/wholefile"
)

// keySize is that of AES-256.
const keySize = 32

// Seal encrypts what a browser keeps for the server, so that only the server reads and
// changes it (AES-256-GCM with random nonces).
type Seal struct{ aead cipher.AEAD }

// OpenSeal reads the key from a file that others may neither read nor change (its group may
// read it, as Kubernetes mounts secrets), and makes one where there is none and fresh says so.
func OpenSeal(path string, fresh bool) (*Seal, error) {
	key, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && fresh {
		key, err = newKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("key of sessions: %w", err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("key of sessions: %w", err)
	case len(key) != keySize:
		return nil, fmt.Errorf("key of sessions %s has %d bytes; it has %d random ones: head -c %d /dev/urandom", path, len(key), keySize, keySize)
	case info.Mode().Perm()&0o027 != 0:
		return nil, fmt.Errorf("key of sessions %s can be read or changed by others (mode %04o); chmod 600 it", path, info.Mode().Perm())
	}
	return sealOf(key)
}

func newKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the process instead
	if err := wholefile.WriteBytes(path, key); err != nil {
		return nil, err
	}
	return key, os.Chmod(path, 0o600)
}

func sealOf(key []byte) (*Seal, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Seal{aead}, err
}

// close seals a value. Purpose says what for: what was sealed for another does not open.
func (s *Seal) close(purpose string, v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, plain, []byte(purpose))), nil
}

var errSeal = errors.New("it was not sealed by this server for this purpose, or was changed since")

// open reads what was sealed for a purpose.
func (s *Seal) open(purpose, text string, v any) error {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return errSeal
	}
	plain, err := s.aead.Open(nil, nil, data, []byte(purpose))
	if err != nil || json.Unmarshal(plain, v) != nil {
		return errSeal
	}
	return nil
}
