package wholefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// unfinished names files that are not whole yet. It names no file after the one
// it will become, so that a program that lists a folder does not take it for that.
const unfinished = ".writing-*"

// abandoned is the age at which an unfinished file is taken for what a crash left,
// and not for one that another process writes just now.
const abandoned = time.Hour

// Write has fill write the content of the file at path, which appears there once
// all of it is on the disk. Only its owner may read it. Where an error is returned,
// what stood at path stands there still, except in one case: the folder could not be
// made to keep its new entry, and a crash of the machine may bring the old one back.
func Write(path string, fill func(io.Writer) error) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, unfinished)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(dir)
}

// WriteBytes is Write for content that is there already.
func WriteBytes(path string, parts ...[]byte) error {
	return Write(path, func(f io.Writer) error {
		for _, part := range parts {
			if _, err := f.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// SyncDir makes renames and removals in a folder durable.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Sweep removes from a folder what crashes left of Write. What it cannot remove
// stays until the next time.
func Sweep(dir string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, err := f.Info()
		left, _ := filepath.Match(unfinished, f.Name())
		if err == nil && left && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
