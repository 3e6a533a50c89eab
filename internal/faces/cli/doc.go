// Package cli is muster on the command line.
//
// Every command is a struct of options, a constructor that gives it flags and
// help, and a run method that talks to streams it was handed (Env). Commands
// know the server through package client only. Those that run a server are added
// by who makes the program (Program.Add).
//
// Read env.go (the world around a command) and root.go (all commands and the flags they share)
// first. exit.go has errors and their exit codes, read.go and write.go run questions and
// changes. answer.go with table.go, plain.go and style.go shows an answer. Then read any
// command: quota.go, job.go, submit.go, why.go, capacity.go. A file is named as its noun, and a
// verb of some size has its own, quota_hold.go, node_cordon.go. Small verbs that change
// something share the file of its noun with _change behind it. To find one: grep "func new".
// The scripts of testdata/script say what commands print; package server runs them.
//
// By subject:
//
//	the program   env.go, root.go, exit.go, version.go, helpfold.go, connect.go, oidcca.go
//	what is typed arguments.go, flags.go, placeflags.go, blankflag.go, mistyped.go, alike.go
//	questions     read.go, window.go, searching.go, names.go, open.go, progress.go
//	changes       write.go, confirm.go, typed.go, plan.go and plan_*.go (dry runs), undo.go, undo_ended.go, undo_cancel.go, reversals*.go
//	answers       answer.go, plain.go, picture.go, style.go, sort.go, sanitise.go; lines and tables:
//	              table*.go, cell.go, clock.go, width.go, shellfold.go
//	who asks      login.go, signin.go, localtoken.go, trust.go, whoami.go, token.go, session.go, role.go
//	work          submit.go, job*.go, pools.go, fit.go, free.go, usable.go, when.go, why*.go, remedy.go
//	quota         quota*.go, flex.go, haircut*.go, buffer.go, policy_word.go, promise*.go
//	nodes         node*.go, health*.go, signal*.go, mttr.go, incident*.go
//	planned work  maintenance.go, planned.go, notice.go, rollout.go, update.go, zone.go
//	clusters      cluster*.go, blueprint*.go, islandsizes.go
//	the fleet     status.go, capacity.go, get.go, fleet.go, apply.go, targets.go, coming.go, outlook.go, report*.go
//	the log       events*.go, audit.go, proposal.go, subscription.go, metrics.go
//	trials        scenario*.go, simulate.go, backtest*.go, bench.go
package cli
