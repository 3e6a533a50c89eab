package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Tokens is an Authenticator of a fixed list: a token names one user and its groups.
type Tokens struct {
	tokens []token
	users  map[string]Identity
}

type token struct {
	sum [sha256.Size]byte
	who Identity
}

// tokenLine is one entry of a tokens file. The file holds hashes, so that
// whoever reads it has no token.
type tokenLine struct {
	SHA256   string   `yaml:"token_sha256"`
	User     string   `yaml:"user"`
	Groups   []string `yaml:"groups"`
	Operator bool     `yaml:"operator"`
}

// ReadTokensFile reads a tokens file. The error names the file, the entry, what
// is wrong and what would be right.
func ReadTokensFile(path string) (*Tokens, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tokens file: %w", err)
	}
	defer func() { _ = f.Close() }()
	t, err := ParseTokens(f)
	if err != nil {
		return nil, fmt.Errorf("tokens file %s: %w", path, err)
	}
	return t, nil
}

// maxTokens bounds a tokens file, in bytes.
const maxTokens = 16 << 20

// ParseTokens reads a list of tokens as YAML or JSON: token_sha256 (of the token,
// in hex), user, groups, operator.
func ParseTokens(r io.Reader) (*Tokens, error) {
	var lines []tokenLine
	d := yaml.NewDecoder(io.LimitReader(r, maxTokens))
	d.KnownFields(true)
	if err := d.Decode(&lines); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w; it is a list of token_sha256, user, groups, operator", err)
	}
	if len(lines) == 0 {
		return nil, errors.New("no tokens in it; give a list of token_sha256, user, groups, operator")
	}
	t := &Tokens{users: map[string]Identity{}}
	for i, line := range lines {
		if err := t.add(line); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return t, nil
}

func (t *Tokens) add(line tokenLine) error {
	sum, err := hex.DecodeString(line.SHA256)
	if err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("token_sha256 %q is no SHA-256; make it with: printf %%s TOKEN | sha256sum", line.SHA256)
	}
	if !userName.MatchString(line.User) {
		return fmt.Errorf("user %q is not a name: 1 to 253 characters without spaces and commas", line.User)
	}
	one := token{[sha256.Size]byte(sum), Identity{line.User, line.Groups, line.Operator}}
	for _, other := range t.tokens {
		if other.sum == one.sum {
			return fmt.Errorf("the token of %s is also that of %s; a token names one user", line.User, other.who.User)
		}
	}
	t.tokens = append(t.tokens, one)
	t.users[line.User] = one.who
	return nil
}

// Identify finds the user of the token that the request bears.
func (t *Tokens) Identify(r *http.Request) (Identity, error) {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok { // on the way there may be somebody who takes that for his own: a Kubernetes API server
		bearer = r.Header.Get(headerToken)
	}
	if bearer == "" {
		return Identity{}, errNoToken
	}
	sum := sha256.Sum256([]byte(bearer))
	at := -1
	for i := range t.tokens { // all of them, so that the time tells nothing
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], t.tokens[i].sum[:]), i, at)
	}
	if at < 0 {
		return Identity{}, errors.New("unknown token; ask an operator for one")
	}
	return t.tokens[at].who, nil
}

// Find is a user of the list.
func (t *Tokens) Find(user string) (Identity, bool) {
	who, ok := t.users[user]
	return who, ok
}
