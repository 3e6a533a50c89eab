package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options say what is measured.
type options struct {
	tasks, ways []string // keys, in the order of measuring
	runs        int
	part        int           // one in so many of the nodes and the work; 1: all
	muster      string        // the program
	peers       string        // the folder of programs that others have built
	into        string        // the document whose table is written; "": none
	keep        string        // the file of samples; "": none
	out         io.Writer     // what is said goes there
	logs        string        // a folder for what the programs said; "": nowhere
	patience    time.Duration // how long the pods of one task may take
}

func main() {
	o, err := read(os.Args[1:])
	o.out = os.Stdout
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if err == nil {
		err = o.compare(ctx)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1) //nolint:forbidigo // a program of its own, no part of muster
	}
}

// read reads the arguments.
func read(args []string) (o options, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return o, err
	}
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	work := f.String("work", "all", "tasks: "+strings.Join(keysOf(tasks), ", "))
	by := f.String("ways", "all", "ways, those to compare with included: "+strings.Join(keysOf(ways), ", "))
	f.IntVar(&o.runs, "runs", 3, "how often each is measured")
	f.IntVar(&o.part, "part", 1, "to try things out: one in so many of the nodes and of the work")
	f.StringVar(&o.muster, "muster", "bin/muster", "Muster's program")
	f.StringVar(&o.peers, "peers", filepath.Join(cache, "muster", "peers"), "folder of the programs of Volcano and KAI-Scheduler, see docs/compare.md")
	f.StringVar(&o.into, "into", "", "document whose table is written: docs/compare.md")
	f.StringVar(&o.keep, "keep", "", "file that keeps the samples: docs/figures/compare.json")
	f.StringVar(&o.logs, "logs", "", "folder for the logs of what is measured")
	f.DurationVar(&o.patience, "patience", 4*time.Minute, "how long the pods of one task may take")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.tasks, err = chosen("-work", *work, keysOf(tasks))
	if err == nil {
		o.ways, err = chosen("-ways", *by, keysOf(ways))
	}
	if err == nil && (o.runs < 1 || f.NArg() > 0) {
		err = fmt.Errorf("-runs %d, and arguments %q; write at least 1, and no arguments but flags", o.runs, f.Args())
	}
	if err == nil && (o.part < 1 || o.part > 1 && o.into+o.keep != "") {
		err = fmt.Errorf("-part %d; at least 1, and what is measured of a part is not kept: -into '' -keep ''", o.part)
	}
	return o, err
}

// chosen are the keys that a flag names, in the order in which all are listed.
func chosen(flag, says string, all []string) (list []string, err error) {
	if says == "all" {
		return all, nil
	}
	named := strings.Split(says, ",")
	for _, key := range named {
		if !slices.Contains(all, key) {
			return nil, fmt.Errorf("%s: no %q; there are %s", flag, key, strings.Join(all, ", "))
		}
	}
	for _, key := range all {
		if slices.Contains(named, key) {
			list = append(list, key)
		}
	}
	return list, nil
}

// keyed is what a flag can name.
type keyed interface{ keyword() string }

func keysOf[T keyed](list []T) (keys []string) {
	for _, x := range list {
		keys = append(keys, x.keyword())
	}
	return keys
}

func find[T keyed](list []T, key string) T {
	return list[slices.IndexFunc(list, func(x T) bool { return x.keyword() == key })]
}
