package provision

import (
	"encoding/base64"
	"net/url"
)

// GitPlace is a git repository without the secrets that reach it: git's arguments are seen by
// every process of the machine, and stand in its messages.
type GitPlace struct {
	Address     string   // without a password
	Environment []string // that lets git use it
	Secrets     []string
}

// GitPlaceOf takes a password out of a URL of HTTPS or HTTP. A token takes the password's place.
func GitPlaceOf(place, token string) GitPlace {
	g, user := GitPlace{Address: place}, "x-access-token"
	if u, err := url.Parse(place); err == nil && u.User != nil && (u.Scheme == "https" || u.Scheme == "http") {
		if password, has := u.User.Password(); has {
			g.Secrets = append(g.Secrets, password)
			if token == "" {
				user, token = u.User.Username(), password
			}
		}
		if token != "" { // a name alone is asked for a password: the header says both
			u.User = nil
			g.Address = u.String()
		}
	}
	if token == "" {
		return g
	}
	basic := base64.StdEncoding.EncodeToString([]byte(user + ":" + token))
	g.Secrets = append(g.Secrets, token, basic)
	g.Environment = []string{
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=http.extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic " + basic,
		"GIT_CONFIG_KEY_1=http.followRedirects", "GIT_CONFIG_VALUE_1=false", // git shows the header to whom it is sent on, too
	}
	return g
}
