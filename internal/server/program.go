package server

import (
	"context"
	"os"
	"os/signal"
	"os/user"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/muster-fleet/muster/internal/faces/cli"
	_ "github.com/muster-fleet/muster/internal/server/lategc" // the first garbage is collected late
)

// Main runs the command line of the process and returns its exit code. A second
// Ctrl-C ends it at once.
func Main() int {
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	context.AfterFunc(ctx, end)
	if isPlugin(os.Args[0]) {
		return plugin(ctx, world(), os.Args[1:])
	}
	return command(ctx, world(), os.Args[1:])
}

// command runs one command line of muster.
func command(ctx context.Context, env *cli.Env, args []string) int {
	return program(env).Run(ctx, args)
}

// program is the command line with all its commands.
func program(env *cli.Env) *cli.Program {
	p := cli.New(env)
	p.Add(newUp(p), newJoin(p), newAgent(p), newWebhook(p), newJournal(p), newBackup(p), newRestore(p))
	p.AddBench(remote, pages)
	return p
}

// world is the process's own.
func world() *cli.Env {
	return &cli.Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		OutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		InTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Height:      height,
		Getenv:      os.Getenv,
		Now:         time.Now,
		User:        userName(),
		Version:     version(),
	}
}

// height is how many lines the terminal has now; 0 where that is not known.
func height() int {
	_, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return lines
}

// width is how many columns the terminal has now; 0 where that is not known.
func width() int {
	columns, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// userName is the operating system's user. Where there is no entry for it, as in
// some containers, its number has to do.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "uid" + strconv.Itoa(os.Getuid())
}

// version is what the build says of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
