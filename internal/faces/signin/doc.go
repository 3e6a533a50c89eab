// Package signin lets readers of the pages sign in at an OpenID Connect provider, by
// authorization code with PKCE, and knows them again by a session.
//
// A session is a sealed cookie: the server keeps its key, and the cookie the reader's name
// and groups. It ends when its reader was away too long, after a day's work at the latest,
// by signing out, or when the provider says so, which is asked now and then. While the
// provider cannot be reached, sessions go on and no new one begins.
//
//	middleware.go stands before the pages: /login, its callback, /sign-out, and who a reader is
//	login.go      the way to the provider and back
//	comers.go     how many may come back from the provider at a time, of one address
//	session.go    what a session is, and when it is over
//	sessions.go   is the Authenticator of sessions; remembers those that ended
//	confirm.go    asks the provider whether a reader is still one of its users
//	cookie.go     cookies, of which a large session takes several
//	seal.go       the key, and what is sealed with it
package signin
