package pgtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Server is a PostgreSQL server of a test's own. It ends with the test.
type Server struct {
	t    testing.TB
	bin  string
	dir  string
	port int
	cmd  *exec.Cmd
}

// Start makes a server and waits until it answers. Settings are lines of postgresql.conf.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s := &Server{t: t, bin: installed(t), dir: t.TempDir(), port: freePort(t)}
	if os.Getuid() == 0 { // PostgreSQL refuses to run as root
		give(t, s.dir)
	}
	s.must("initdb", "-D", s.data(), "-U", "muster", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
	s.Set(append([]string{
		"listen_addresses = '127.0.0.1'", fmt.Sprintf("port = %d", s.port), "unix_socket_directories = ''",
		"max_connections = 200", "shared_buffers = '32MB'", "logging_collector = off",
	}, settings...)...)
	s.Run()
	t.Cleanup(s.Kill)
	return s
}

// Address is where the server is.
func (s *Server) Address() string {
	return fmt.Sprintf("postgres://muster@127.0.0.1:%d/postgres", s.port)
}

// Host is its address without all else.
func (s *Server) Host() string { return fmt.Sprintf("127.0.0.1:%d", s.port) }

// Set adds settings, which hold from the next Run on.
func (s *Server) Set(settings ...string) {
	s.t.Helper()
	f, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	for _, line := range settings {
		_, _ = fmt.Fprintln(f, line)
	}
}

// Run starts the server again, after Kill.
func (s *Server) Run() {
	s.t.Helper()
	s.cmd = s.command("postgres", "-D", s.data())
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	var out []byte
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if out, err = s.command("psql", "-q", "-d", s.Address(), "-c", "SELECT 1").CombinedOutput(); err == nil {
			return
		}
	}
	log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	s.t.Fatalf("PostgreSQL does not start: %v\n%s\n%s", err, out, log)
}

// Kill ends the server and all its processes as a loss of power does.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	_ = s.cmd.Wait()
	s.orphans(s.cmd.Process.Pid)
	s.cmd = nil
	_ = os.Remove(filepath.Join(s.data(), "postmaster.pid"))
}

// SQL runs statements behind Muster's back.
func (s *Server) SQL(statements ...string) {
	s.t.Helper()
	s.On(s.Address(), statements...)
}

// On runs statements in the database at an address.
func (s *Server) On(address string, statements ...string) {
	s.t.Helper()
	for _, text := range statements {
		s.must("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", address, "-c", text)
	}
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) must(name string, args ...string) {
	s.t.Helper()
	cmd := s.command(name, args...)
	cmd.Stdout, cmd.Stderr = nil, nil
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// command is a program of PostgreSQL's in a group of processes of its own.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: credential()}
	if name == "postgres" {
		if log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err == nil {
			cmd.Stdout, cmd.Stderr = log, log
		}
	}
	return cmd
}

// installed is the folder of the newest PostgreSQL's programs.
func installed(t testing.TB) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if path, err := exec.LookPath("postgres"); err == nil && len(found) == 0 {
		if path, err = filepath.EvalSymlinks(path); err == nil { // its other programs are beside it
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		t.Skip("PostgreSQL is not installed (apt-get install postgresql): this test is skipped")
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

// credential is who PostgreSQL runs as where the test is root; else nil.
func credential() *syscall.Credential {
	if os.Getuid() != 0 {
		return nil
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		if who, err = user.Lookup("nobody"); err != nil {
			return nil
		}
	}
	uid, _ := strconv.Atoi(who.Uid)
	gid, _ := strconv.Atoi(who.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// give lets PostgreSQL's user have a folder, and pass through those above it.
func give(t testing.TB, dir string) {
	t.Helper()
	who := credential()
	if who == nil {
		t.Skip("PostgreSQL does not run as root, and there is no other user: this test is skipped")
	}
	if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
		t.Fatal(err)
	}
	for up := filepath.Dir(dir); up != os.TempDir() && //nolint:usetesting // the folder above all tests
		up != "/"; up = filepath.Dir(up) {
		if err := os.Chmod(up, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // it is a TCP listener
}
