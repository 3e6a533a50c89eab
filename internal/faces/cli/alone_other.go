//go:build !unix

package cli

// alone does not wait for other processes here: this system is not asked for locks.
func alone(string) (free func(), err error) { return func() {}, nil }
