package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// pictures are all pictures, by the name of their file. Each may read figures in docs.
var pictures = map[string]func(docs string) ([]byte, error){
	"how-promise.svg":  still(promise),
	"how-room.svg":     still(room),
	"how-mend.svg":     still(mend),
	"architecture.svg": still(house),
	"compare.svg":      compared,
}

// still is a picture of no figures.
func still(drawing func() []byte) func(string) ([]byte, error) {
	return func(string) ([]byte, error) { return drawing(), nil }
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docpictures FOLDER")
		os.Exit(2) //nolint:forbidigo // a program of its own, no part of muster
	}
	for name, drawing := range pictures {
		picture, err := drawing(filepath.Dir(filepath.Clean(os.Args[1])))
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], name), picture, 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "docpictures:", err)
			os.Exit(1) //nolint:forbidigo // a program of its own, no part of muster
		}
	}
}
