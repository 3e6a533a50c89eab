package siege

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// sayEvery is how often the process of the foe says how its calls were answered.
const sayEvery = 500 * time.Millisecond

// Hostile is the hostile caller of a siege, as a process of its own. It attacks the server at an address
// until ctx ends or in does. To out it says in JSON how its calls were answered so far, by status.
// It takes the processor only where no other wants it, as if it had a machine of its own.
func Hostile(ctx context.Context, address string, in io.Reader, out io.Writer) error {
	giveWay()
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		_, _ = io.Copy(io.Discard, in) // its end ends the attack, however it comes
		end()
	}()
	e := newFoe(&fort{address: address})
	e.attack(ctx)
	say := json.NewEncoder(out)
	for rest(ctx, sayEvery) {
		if err := say.Encode(e.answered()); err != nil {
			return err
		}
	}
	e.rest()
	return say.Encode(e.answered())
}

// enemy is the process of the foe, as who lays the siege sees it.
type enemy struct {
	process *exec.Cmd
	leash   io.Closer // closed: it ends
	said    bytes.Buffer
	over    chan struct{} // closed once it has said its last word

	mu     sync.Mutex
	counts map[string]int
}

// attackedBy starts the foe, which attacks the server at once.
func (f *fort) attackedBy(program string) (*enemy, error) {
	e := &enemy{process: exec.Command(program, "bench", "hostile", f.address), over: make(chan struct{})} //nolint:noctx // it ends in its own way
	leash, err := e.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := e.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.leash, e.process.Stderr = leash, &e.said
	if err := e.process.Start(); err != nil {
		return nil, fmt.Errorf("start the hostile caller: %w", err)
	}
	go e.listen(out)
	return e, nil
}

// listen takes what the foe says until it ends.
func (e *enemy) listen(out io.Reader) {
	defer close(e.over)
	for say := json.NewDecoder(out); ; {
		counts := map[string]int{}
		if say.Decode(&counts) != nil {
			return
		}
		e.mu.Lock()
		e.counts = counts
		e.mu.Unlock()
	}
}

// answered are the foe's calls, by status.
func (e *enemy) answered() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts
}

// withdraw ends the foe. A foe that has ended by itself has not attacked as it should.
func (e *enemy) withdraw() error {
	early := false
	select {
	case <-e.over:
		early = true
	default:
	}
	_ = e.leash.Close()
	<-e.over
	err := e.process.Wait()
	if err == nil && early {
		err = errors.New("before it was told to")
	}
	if err != nil {
		return fmt.Errorf("the hostile caller ended by itself (%w): %s", err, e.said.String())
	}
	return nil
}
