package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Replicate starts a server that follows this one. From then on this one waits for it with
// every commit.
func (s *Server) Replicate() *Server {
	s.t.Helper()
	r := &Server{t: s.t, bin: s.bin, dir: s.t.TempDir(), port: freePort(s.t)}
	if os.Getuid() == 0 {
		give(s.t, r.dir)
	}
	r.must("pg_basebackup", "-d", s.Address(), "-D", r.data(), "-R", "-X", "stream", "-c", "fast", "--no-sync")
	r.Set(fmt.Sprintf("port = %d", r.port))
	r.Run()
	s.t.Cleanup(r.Kill)
	s.followed()
	return r
}

// followed lets this server wait for its replica with every commit, once there is one.
func (s *Server) followed() {
	s.t.Helper()
	s.SQL("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()",
		`DO $$ BEGIN
  FOR i IN 1..300 LOOP
    IF EXISTS (SELECT 1 FROM pg_stat_get_wal_senders() WHERE sync_state = 'sync') THEN RETURN; END IF;
    PERFORM pg_sleep(0.1);
  END LOOP;
  RAISE EXCEPTION 'the replica does not follow';
END $$`)
}

// Stop ends the server as who plans it does: its replica has all that it has.
func (s *Server) Stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Fatalf("PostgreSQL does not stop as it is told: %v", err)
	}
	s.cmd = nil
}

// Follow starts a server that was stopped again, as the replica of the one that writes by now.
func (s *Server) Follow(writes *Server) {
	s.t.Helper()
	for name, text := range map[string]string{
		"postgresql.auto.conf": fmt.Sprintf("primary_conninfo = 'host=127.0.0.1 port=%d user=muster'\n", writes.port), "standby.signal": "",
	} {
		f, err := os.OpenFile(filepath.Join(s.data(), name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			s.t.Fatal(err)
		}
		if _, err = f.WriteString(text); err != nil {
			s.t.Fatal(err)
		}
		_ = f.Close()
	}
	s.Run()
	writes.followed()
}

// Promote makes a replica the server that writes. It waits for no replica of its own.
func (s *Server) Promote() {
	s.t.Helper()
	s.SQL("SELECT pg_promote()", "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
}

// Remove ends a server for good, and gives its disk back.
func (s *Server) Remove() {
	s.Kill()
	_ = os.RemoveAll(s.data())
}

// orphans waits until the processes that the killed server has left behind are gone: until
// then a new one cannot start on its files.
func (s *Server) orphans(group int) {
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(-group, 0) != nil && !s.used() {
			return
		}
	}
}

// used says whether a process works in the server's data folder.
func (s *Server) used() bool {
	found, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range found {
		if to, err := os.Readlink(link); err == nil && to == s.data() {
			return true
		}
	}
	return false
}
