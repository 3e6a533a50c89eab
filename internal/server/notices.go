package server

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
)

// notices are what everybody must know of this server: `muster status` and the pages show it.
func (s *server) notices() (list []api.Notice) {
	note := func(key, format string, args ...any) {
		list = append(list, api.Notice{Key: key, Text: fmt.Sprintf(format, args...)})
	}
	if lag, follows := s.engine.Follows(); follows {
		note("follows", "This server follows %s, which leads. What it shows may be %s old.", s.whoLeads(), lag.Round(time.Millisecond))
	}
	if err := s.engine.Health(); err != nil {
		note("journal", "STALE: what this server shows may be old, and commands wait or are refused: %v.", err)
	}
	switch ahead := s.engine.Ahead(); {
	case ahead > 0:
		note("clock", "The time of the log is ahead of this server's clock by %s: graces and holds go by the log's. Set the clock right if it is wrong.", ahead.Round(time.Second))
	case ahead < 0:
		note("clock", "The clock of this server has jumped ahead by %s and is not believed. Set it right, or start the server again if it is right.", (-ahead).Round(time.Second))
	}
	return list
}

// whoLeads is the address of the server that leads, as far as this one knows.
func (s *server) whoLeads() string {
	if is := s.leadership.leader.Load(); is != nil && is.Address != "" {
		return is.Address
	}
	return "another server"
}
