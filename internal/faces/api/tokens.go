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

	"github.com/muster-fleet/muster/internal/decide/access"
	"github.com/muster-fleet/muster/internal/state/fleet"
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
// a reader of it has no token.
type tokenLine struct {
	SHA256     string   `yaml:"token_sha256"`
	User       string   `yaml:"user"`
	Groups     []string `yaml:"groups"`
	Namespaces []string `yaml:"namespaces"`
	Operator   bool     `yaml:"operator"`
}

const tokenKeys = "token_sha256, user, groups, namespaces, operator"

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
// in hex), user, groups, namespaces, operator.
func ParseTokens(r io.Reader) (*Tokens, error) {
	var lines []tokenLine
	d := yaml.NewDecoder(io.LimitReader(r, maxTokens))
	d.KnownFields(true)
	if err := d.Decode(&lines); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w; it is a list of %s", err, tokenKeys)
	}
	if len(lines) == 0 {
		return nil, errors.New("no tokens in it; give a list of " + tokenKeys)
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
	if !fleet.ValidPrincipalName(line.User) {
		return fmt.Errorf("user %q is not a name: 1 to %d characters without spaces, commas and colons", line.User, fleet.MaxPrincipalName)
	}
	for _, g := range line.Groups {
		if !fleet.ValidPrincipalName(g) {
			return fmt.Errorf("group %q of %s is not a name: 1 to %d characters without spaces, commas and colons", g, line.User, fleet.MaxPrincipalName)
		}
	}
	one := token{[sha256.Size]byte(sum), line.identity()}
	for _, other := range t.tokens {
		if other.sum == one.sum {
			return fmt.Errorf("the token of %s is also that of %s; a token names one user", line.User, other.who.User)
		}
	}
	t.tokens = append(t.tokens, one)
	t.users[line.User] = one.who
	return nil
}

// identity is the user of an entry. A user submits into a namespace of the same name, and
// into those that the entry lists; an operator does everything.
func (line tokenLine) identity() Identity {
	who := Identity{
		User: line.User, Groups: line.Groups, Operator: line.Operator, Token: "file:" + line.SHA256[:12], By: "tokens-file",
		Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: line.User},
	}
	for _, namespace := range append([]string{line.User}, line.Namespaces...) {
		who.Holds = append(who.Holds, access.GrantOf(fleet.Researcher, fleet.Scope{Namespace: namespace}))
	}
	return who
}

// leastToken is how many characters a token has at least: 128 random bits in base64.
const leastToken = 22

// weak says what is wrong with a token that could be found by trying; "" for nothing. Of
// the list only hashes are known, so that a token is judged when it is shown.
func weak(bearer string) string {
	seen := map[rune]bool{}
	for _, r := range bearer {
		seen[r] = true
	}
	if len(bearer) < leastToken || len(seen) < 8 {
		return fmt.Sprintf("unknown token, or one that is too weak: a token is random and has %d characters or more; make one with: openssl rand -hex 32", leastToken)
	}
	return ""
}

// Identify finds the user of the token that the request bears.
func (t *Tokens) Identify(r *http.Request) (Identity, error) {
	bearer := bearerOf(r)
	switch {
	case bearer == "":
		return Identity{}, errNoToken
	case strings.HasPrefix(bearer, servicePrefix) || strings.Count(bearer, ".") == 2:
		return Identity{}, ErrNotMine
	}
	if says := weak(bearer); says != "" {
		return Identity{}, errors.New(says)
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
