package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// pictures are all pictures, by the name of their file.
var pictures = map[string]func() []byte{
	"how-promise.svg":  promise,
	"how-room.svg":     room,
	"how-mend.svg":     mend,
	"architecture.svg": house,
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docpictures FOLDER")
		os.Exit(2) //nolint:forbidigo // a program of its own, no part of muster
	}
	for name, drawing := range pictures {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), drawing(), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "docpictures:", err)
			os.Exit(1) //nolint:forbidigo // a program of its own, no part of muster
		}
	}
}
