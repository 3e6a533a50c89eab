package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/muster-fleet/muster/client"
)

func (a *app) getenv(key, otherwise string) string {
	if v := a.Getenv(key); v != "" {
		return v
	}
	return otherwise
}

// client reaches the server.
func (a *app) client() *client.Client {
	return client.New(client.Options{Address: a.server, Token: cmp.Or(a.tokenInForce(), a.localToken()), As: a.as, HTTPClient: a.HTTP, PlainHTTP: PlainHTTP(a.Getenv)})
}

// PlainHTTP says whether a token may go to another machine by plain HTTP, as the environment says.
func PlainHTTP(getenv func(string) string) bool {
	free, err := strconv.ParseBool(getenv(client.PlainHTTPEnv))
	return err == nil && free
}

// tokenEnv names the variable that may hold a token.
const tokenEnv = "MUSTER_TOKEN"

// tokenInForce is the token that the server is shown; "": none.
func (a *app) tokenInForce() string {
	if token, _ := a.tokenGiven(); token != "" {
		return token
	}
	return a.ownSignIn()
}

// tokenGiven is the token that a person gave, without the end of its line, and where; "": none.
func (a *app) tokenGiven() (token, where string) {
	if a.token != "" {
		return strings.TrimSpace(a.token), "--token"
	}
	return strings.TrimSpace(a.Getenv(tokenEnv)), tokenEnv
}

// checkToken refuses a token that no request can carry, before anything is asked.
func (a *app) checkToken() error {
	token, where := a.tokenGiven()
	if at := strings.IndexFunc(token, unicode.IsControl); at >= 0 {
		return usage("%s is not a token: it has %s in it; a token is one word on one line", where, strangeText(token[at]))
	}
	return nil
}

// strangeText names a control character.
func strangeText(c byte) string {
	if c == '\n' || c == '\r' {
		return "a line break"
	}
	return fmt.Sprintf("the control character 0x%02x", c)
}
