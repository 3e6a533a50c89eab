package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTheDocumentsShowWhatThisProgramDraws compares the committed files.
func TestTheDocumentsShowWhatThisProgramDraws(t *testing.T) {
	for name, drawing := range pictures {
		made, err := os.ReadFile("../../../../docs/img/" + name)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(made, drawn(t, drawing)) {
			t.Errorf("docs/img/%s is not what this program draws: go run ./internal/faces/draw/docpictures docs/img", name)
		}
	}
}

// drawn is a picture of the figures that are committed.
func drawn(t *testing.T, drawing func(string) ([]byte, error)) []byte {
	t.Helper()
	picture, err := drawing("../../../../docs")
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func TestPicturesAreWellFormed(t *testing.T) {
	for name, drawing := range pictures {
		read := xml.NewDecoder(bytes.NewReader(drawn(t, drawing)))
		for {
			if _, err := read.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
}

// TestTheHouseIsDrawnWhole finds every room of a floor in its picture.
func TestTheHouseIsDrawnWhole(t *testing.T) {
	for _, f := range floors {
		drawn := strings.Fields(f.rooms)
		entries, err := os.ReadDir("../../../" + f.name)
		if err != nil {
			t.Fatal(err)
		}
		var stands []string
		for _, e := range entries {
			if e.IsDir() && f.name != "server" {
				stands = append(stands, e.Name())
			}
		}
		for _, name := range stands {
			if !slices.Contains(drawn, name) {
				t.Errorf("internal/%s/%s is not in the picture: add it to floors.go, and draw again", f.name, name)
			}
		}
		for _, name := range drawn {
			if !slices.Contains(stands, name) {
				t.Errorf("the picture shows internal/%s/%s, which is gone", f.name, name)
			}
		}
	}
}
