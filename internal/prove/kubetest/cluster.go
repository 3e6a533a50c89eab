package kubetest

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Cluster is a control plane that runs.
type Cluster struct {
	URL        string // of the API server
	Token      string // of an administrator
	Kubeconfig string // file, of the same

	bin, dir string
	more     map[string][]string // arguments of a program besides its own
	turn     *lock               // one of those that this machine has room for
	ports    map[string]int
	mu       sync.Mutex
	parts    map[string]*part
}

// part is one program on its way.
type part struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// patience is how long the API server may take to be ready: long on a busy machine.
const patience = 10 * time.Minute

// Start starts a control plane in a folder of its own, when this machine has room
// for one more. Stop ends it.
func Start(ctx context.Context) (*Cluster, error) { return StartWith(ctx, nil) }

// StartWith is Start with more arguments of the programs, by their name.
func StartWith(ctx context.Context, more map[string][]string) (*Cluster, error) {
	bin, err := Binaries(ctx)
	if err != nil {
		return nil, err
	}
	t, err := turn(ctx, filepath.Dir(bin))
	if err != nil {
		return nil, err
	}
	return start(ctx, bin, t, more)
}

// start brings a control plane up. A port may be taken by another program between being
// found free and being used: then it is begun anew.
func start(ctx context.Context, bin string, t *lock, more map[string][]string) (c *Cluster, err error) {
	const tries = 3
	for range tries {
		dir, err2 := os.MkdirTemp("", "muster-kube-")
		if err2 != nil {
			t.free()
			return nil, err2
		}
		c = &Cluster{Token: "administrator", bin: bin, dir: dir, more: more, turn: t, parts: map[string]*part{}}
		if err = c.bringUp(ctx); err == nil {
			return c, nil
		}
		c.turn = nil
		c.Stop()
	}
	t.free()
	return nil, err
}

func (c *Cluster) bringUp(ctx context.Context) error {
	if err := c.findPorts("etcd", "peer", "api", "scheduler", "manager"); err != nil {
		return err
	}
	c.URL = fmt.Sprintf("https://127.0.0.1:%d", c.ports["api"])
	if err := c.writeFiles(); err != nil {
		return err
	}
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if err := c.StartPart(name); err != nil {
			return err
		}
	}
	if err := c.Ready(ctx); err != nil {
		return err
	}
	for _, name := range []string{"kube-controller-manager", "kube-scheduler", "kwok"} {
		if err := c.StartPart(name); err != nil {
			return err
		}
	}
	return nil
}

// findPorts finds free ports. Another program may take one meanwhile; then the part says so.
func (c *Cluster) findPorts(names ...string) error {
	c.ports = map[string]int{}
	held := make([]net.Listener, 0, len(names)) // all at one time, so that no port is found twice
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	for _, name := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		held = append(held, l)
		c.ports[name] = l.Addr().(*net.TCPAddr).Port
	}
	return nil
}

// StartPart starts one of the programs.
func (c *Cluster) StartPart(name string) error {
	return c.Run(name, filepath.Join(c.bin, name), append(c.arguments(name), c.more[name]...))
}

// Run starts any program as a part, which Stop ends. What env says comes besides the environment.
func (c *Cluster) Run(name, file string, arguments []string, env ...string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[name] != nil {
		return fmt.Errorf("kubetest: %s runs already", name)
	}
	log, err := os.OpenFile(c.file(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(file, arguments...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(append(os.Environ(), "HOME="+c.dir), env...)
	if err := startOwned(cmd); err != nil {
		return err
	}
	p := &part{cmd: cmd, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	c.parts[name] = p
	return nil
}

// KillPart ends one of the programs at once, as a crash would.
func (c *Cluster) KillPart(name string) {
	c.mu.Lock()
	p := c.parts[name]
	delete(c.parts, name)
	c.mu.Unlock()
	if p != nil {
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// PausePart stops one of the programs where it is; ResumePart lets it go on.
func (c *Cluster) PausePart(name string) error { return c.signal(name, syscall.SIGSTOP) }

// ResumePart lets a paused program go on.
func (c *Cluster) ResumePart(name string) error { return c.signal(name, syscall.SIGCONT) }

func (c *Cluster) signal(name string, s syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[name] == nil {
		return fmt.Errorf("kubetest: %s does not run", name)
	}
	return c.parts[name].cmd.Process.Signal(s)
}

// Process is the process number of a part; 0 where it does not run.
func (c *Cluster) Process(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[name] == nil {
		return 0
	}
	return c.parts[name].cmd.Process.Pid
}

// Parts are the names of all programs that were started and not killed, in order.
func (c *Cluster) Parts() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return sortedNames(c.parts)
}

// Stop ends everything and removes the folder.
func (c *Cluster) Stop() {
	ends := []string{"kwok", "kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd"}
	for _, name := range c.Parts() {
		if !slices.Contains(ends, name) {
			c.KillPart(name)
		}
	}
	for _, name := range ends {
		c.KillPart(name)
	}
	_ = os.RemoveAll(c.dir)
	c.turn.free()
}

// Ready waits until the API server serves.
func (c *Cluster) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // loopback, its own certificate
	defer client.CloseIdleConnections()
	for {
		if c.answers(ctx, client) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("kubetest: the API server is not ready: %w\n%s", ctx.Err(), c.lastWords("kube-apiserver"))
		case <-c.ended("kube-apiserver"):
			return errors.New("kubetest: the API server ended\n" + c.lastWords("kube-apiserver"))
		case <-c.ended("etcd"):
			return errors.New("kubetest: etcd ended\n" + c.lastWords("etcd"))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func (c *Cluster) answers(ctx context.Context, client *http.Client) bool {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/readyz", nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	res, err := client.Do(r)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func (c *Cluster) ended(name string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts[name] == nil {
		return nil
	}
	return c.parts[name].done
}

// lastWords is the end of a program's log.
func (c *Cluster) lastWords(name string) string {
	data, _ := os.ReadFile(c.file(name + ".log"))
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return strings.TrimSpace(string(bytes.Join(lines[max(0, len(lines)-15):], []byte("\n"))))
}

// Log is all that a program has said.
func (c *Cluster) Log(name string) string {
	data, _ := os.ReadFile(c.file(name + ".log"))
	return string(data)
}

// File is the path of a file in the folder of this control plane, which Stop removes.
func (c *Cluster) File(name string) string { return c.file(name) }

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }
