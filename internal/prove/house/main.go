package main

import (
	"fmt"
	"os"
)

func main() {
	root := "."
	switch len(os.Args) {
	case 1:
	case 2:
		root = os.Args[1]
	default:
		fmt.Fprintln(os.Stderr, "house: want at most one argument, the root of the module")
		os.Exit(2)
	}
	rooms, err := read(os.DirFS(root))
	if err == nil && len(rooms) == 0 {
		err = fmt.Errorf("no Go files below %s", root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
	write(os.Stdout, rooms)
}
