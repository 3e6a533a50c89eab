package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	up := flag.String("up", "", "a room, as in internal/decide/placement: list its arrows that run upward")
	flag.Parse()
	root := "."
	switch flag.NArg() {
	case 0:
	case 1:
		root = flag.Arg(0)
	default:
		fmt.Fprintln(os.Stderr, "layout: want at most one argument, the root of the module")
		os.Exit(2)
	}
	rooms, err := read(os.DirFS(root))
	if err == nil && len(rooms) == 0 {
		err = fmt.Errorf("no Go files below %s", root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "layout:", err)
		os.Exit(1)
	}
	for _, r := range rooms {
		if r.folder == *up {
			climbs(os.Stdout, r)
		}
	}
	if *up == "" {
		write(os.Stdout, rooms)
	}
}
