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
// command: quota.go, job.go, submit.go, why.go, capacity.go. A file is named as its command, with
// the verb behind it where the command has several files: quota_hold.go, node_cordon.go.
// The scripts of testdata/script say what commands print; package server runs them.
package cli
