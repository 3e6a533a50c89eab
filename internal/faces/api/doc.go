// Package api is Muster over the network: the services of proto/muster/v1, for
// gRPC, gRPC-Web, Connect and plain JSON, on one port.
//
// A request passes, in this order: who is asking (identity.go, tokens.go, local.go),
// whether any role of the caller allows it (admit.go, by the actions of rights.go),
// how large it is (limits.go), and whether it is the caller's turn (turns.go). All
// that is guard in server.go. Then interceptors say what is wrong with it
// (validate.go), and let costly questions wait for a turn of their own (turns.go).
// Last comes its service (service_*.go). Whether a role reaches the thing in question
// the command itself judges (permitted in the core), or the answer.
//
// A service has the message translated into a command and hands it to the engine
// (write.go), or asks the state and has the answer translated (read.go). The
// translation, both ways, is the room wire. What comes back as a refusal, an error or
// a panic becomes an error of the protocol in one place (fail.go). server.go puts it
// all together.
//
// The engine is an interface of this room (engine.go), so that nothing here
// knows how commands are decided or kept.
//
// All files, by what they are about:
//
//   - the port: listen.go opens it; wires.go counts connections; proxy.go and peer*.go say who is at
//     the other end; codec.go reads and writes strict JSON; together.go makes one interceptor of several.
//   - who asks: identity.go; tokens.go and tokensfile.go, local.go, socketuser.go, oidc.go, kubetokens.go
//     and servicetokens.go are the ways to prove it. admit.go refuses who may do nothing;
//     recheck.go asks again while a stream runs; signins.go remembers who signed in.
//   - what is noted of callers: auditnotes.go, newcomers.go, logging.go.
//   - what a caller may cost: attempts.go before it has proven anything; bodies.go, unpack.go and limits.go in
//     bytes; tally.go and walk.go in memory; slots.go, pace.go, turns.go and usual.go at once; edges.go in decoding and encoding; pending.go in work that
//     waits; searchtime.go in seconds.
//   - what a request may say: validate.go, rulewords.go, controlchars.go, scope.go, known.go, batch.go.
//   - changes: service.go and write.go; concerned.go says whom a change touches, policychange.go which
//     policies it changed, shortgrants.go which grants are short by it and backingahead.go which would be,
//     nodechanges.go where changes of a node's state came from, leavers.go how much work would leave its nodes, soalready.go which nodes have their state already, gainers.go who got the room of a wave, rolloutend.go, rolloutplan.go what a rollout would do, remedy.go what
//     would help.
//   - what waits for people: twopeople.go has the warnings about proposals and the broken glass, proposalsays.go says what a proposal changes.
//   - questions: read.go looks at the state, statecopy.go at a copy; listing.go and eventfilter.go choose, list.go tells of
//     workloads, and recentevents.go remembers; inventory.go answers programs that build clusters,
//     checkin.go does not believe a person's check-in, told.go says which work in the way is
//     named to a caller and plannames.go which work in a plan is, standin.go whom figures are for where a namespace is another's, and unlisted.go says of a quota without an access list
//     whom it is open to.
//   - the past: quotahistory.go, historyfile.go and quotachange.go about quotas; story.go and storyindex.go
//     about workloads; failure.go about nodes; whychanges.go about what waiting work lacks;
//     refused.go about work that was never accepted; ownpast.go about the fleet.
package api
