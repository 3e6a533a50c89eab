// Package queue is the queue of a quota or of flex: what runs, what is next, and when it
// is expected to start.
package queue
