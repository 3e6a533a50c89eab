package api

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/muster-fleet/muster/internal/answer/yamlfile"
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

// tokenKeys are the keys of an entry of a tokens file. The file holds hashes, so that a
// reader of it has no token.
var tokenKeys = []string{"token_sha256", "user", "groups", "namespaces", "operator"}

// ReadTokensFile reads a tokens file. The error names the file, the line, what is wrong and
// what would be right.
func ReadTokensFile(path string) (*Tokens, error) {
	data, err := yamlfile.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("tokens file: %w", err)
	}
	return parseTokens(path, data)
}

// ParseTokens reads a list of tokens as YAML or JSON: token_sha256 (of the token, in hex),
// user, groups, namespaces, operator. Messages call it tokens.yaml.
func ParseTokens(r io.Reader) (*Tokens, error) {
	data, err := io.ReadAll(io.LimitReader(r, yamlfile.MaxBytes+1)) // one more, so that it is seen to be too large
	if err != nil {
		return nil, fmt.Errorf("tokens file: %w", err)
	}
	return parseTokens("tokens.yaml", data)
}

func parseTokens(name string, data []byte) (*Tokens, error) {
	t := &Tokens{users: map[string]Identity{}}
	if len(bytes.TrimSpace(data)) > 0 {
		doc, top := yamlfile.Open(name, data)
		for _, entry := range top.List() {
			t.read(entry)
		}
		if err := doc.Err(); err != nil {
			return nil, fmt.Errorf("tokens file %w", err)
		}
	}
	if len(t.tokens) == 0 {
		return nil, fmt.Errorf("tokens file %s: no tokens in it; give a list of %s", name, strings.Join(tokenKeys, ", "))
	}
	return t, nil
}

// read takes in one entry. What is wrong with it is said to its document.
func (t *Tokens) read(entry yamlfile.Value) {
	f := entry.Fields(tokenKeys...)
	user, groups := nameIn(f.Need("user")), yamlfile.Each(given(f.At("groups")), nameIn)
	namespaces := yamlfile.Each(given(f.At("namespaces")), yamlfile.Value.Plain)
	digest := f.Need("token_sha256")
	sum, err := hex.DecodeString(digest.Plain())
	if err != nil || len(sum) != sha256.Size {
		digest.Fail("token_sha256 is no SHA-256; make it with: printf %%s TOKEN | sha256sum")
		return
	}
	one := token{[sha256.Size]byte(sum), fileIdentity(user, digest.Plain(), groups, namespaces, f.At("operator").Bool())}
	for _, other := range t.tokens {
		if other.sum == one.sum {
			digest.Fail("the token of %s is also that of %s; a token names one user", user, other.who.User)
		}
	}
	t.tokens = append(t.tokens, one)
	t.users[user] = one.who
}

// given is a list that may be left empty.
func given(v yamlfile.Value) yamlfile.Value {
	if v.Empty() {
		return yamlfile.Value{}
	}
	return v
}

// nameIn reads the name of a user or a group.
func nameIn(v yamlfile.Value) string {
	name := v.Plain()
	if v.Present() && !fleet.ValidPrincipalName(name) {
		v.Fail("%s is %s; a name has 1 to %d characters and no spaces, commas and colons", v.Label(), yamlfile.Quote(name), fleet.MaxPrincipalName)
	}
	return name
}

// fileIdentity is the user of an entry. A user submits into a namespace of the same name, and
// into those that the entry lists; an operator does everything.
func fileIdentity(user, digest string, groups, namespaces []string, operator bool) Identity {
	who := Identity{
		User: user, Groups: groups, Operator: operator, Token: "file:" + digest[:12], By: "tokens-file",
		Principal: fleet.Principal{Kind: fleet.UserPrincipal, Name: user},
	}
	for _, namespace := range append([]string{user}, namespaces...) {
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
