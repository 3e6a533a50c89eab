package link

import (
	"os"
	"path/filepath"
	"testing"
)

// A file with a certificate and its key is read as it is at one moment, while renewals replace it.
func TestAFileThatIsReplacedIsReadAsOne(t *testing.T) {
	kinds := []string{readFile(t, newHouse(t).shortly("tiger")), readFile(t, newHouse(t).shortly("tiger"))}
	file := filepath.Join(t.TempDir(), "tiger.pem")
	replace := func(n int) {
		if err := os.WriteFile(file+".next", []byte(kinds[n%2]), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(file+".next", file); err != nil {
			t.Error(err)
		}
	}
	replace(0)
	enough, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for n := 1; ; n++ {
			select {
			case <-enough:
				return
			default:
				replace(n)
			}
		}
	}()
	for range 500 {
		if _, err := readIdentity(file); err != nil {
			t.Error(err)
			break
		}
	}
	close(enough)
	<-over
}
