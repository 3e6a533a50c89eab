// Package promise is the page of promises, kept and broken, the part that tries buffer
// policies against the recorded past, and the page of what broke a promise.
package promise
