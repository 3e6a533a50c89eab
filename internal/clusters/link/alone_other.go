//go:build !unix

package link

// alone changes who is enrolled. Here another process may do so at the same time: revoke an agent
// again, if its certificate was just then renewed.
func (a *Authority) alone(change func() error) error { return change() }
