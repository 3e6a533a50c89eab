package server

import (
	"fmt"
	"time"

	"github.com/muster-fleet/muster/internal/faces/api"
	"github.com/muster-fleet/muster/internal/state/fleet"
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
	if s.notifier.KeyChanged() && s.subscribed() {
		note("webhook-key", "The key of the webhooks was replaced: receivers that check signatures refuse calls until they have their new secrets (muster subscription secret), or webhook.key is put back and the server started again.")
	}
	if file, is := s.people.(*api.TokensFile); is {
		if since, fault := file.Unread(); fault != nil {
			note("tokens", "The tokens file cannot be read since %s: %v. The tokens of before stay good until it can: who was taken out of it since is still let in.", since.UTC().Format("2006-01-02 15:04:05 UTC"), fault)
			list[len(list)-1].Operators = true
		}
	}
	if damage := s.damage.Load(); damage != nil {
		note("damage", "The journal is damaged: %v. Commands go on; what happened up to there cannot be read. Add what has come since to the last backup (muster backup) and restore that.", damage)
	}
	return list
}

// subscribed says whether anybody is told by webhooks.
func (s *server) subscribed() (is bool) {
	s.engine.Look(func(state *fleet.State) { is = len(state.Subscriptions) > 0 })
	return is
}

// whoLeads is the address of the server that leads, as far as this one knows.
func (s *server) whoLeads() string {
	if is := s.leadership.Leader(); is != nil && is.Address != "" {
		return is.Address
	}
	return "another server"
}

// count says how large the fleet is.
func count(s *fleet.State) (nodes, waiting int) {
	for _, p := range s.Partitions {
		nodes += len(p.Nodes)
	}
	return nodes, len(s.Alive())
}
