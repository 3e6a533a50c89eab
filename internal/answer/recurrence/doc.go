// Package recurrence draws out recurring stretches of time: an RFC 5545 rule in an IANA
// time zone becomes a list of moments. The log keeps the list, so that what was decided stays
// the same when a time zone's rules change.
package recurrence
