// Package session is the page of sign-ins: who is signed in, by which way, since when and from
// where, with the form that ends one of them. Who may not see all sees their own.
package session
