// Small makes pictures of pages small: each is written again in its own place with the
// colours that it can do with.
//
//	go run ./internal/faces/web/e2e/small FILE.png...
//
// Pages have few colours and many shades at the edges of letters: 64 colours cannot be told
// from all of them, and take a third of the room.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
)

// most is how many colours a picture keeps.
const most = 64

func main() {
	for _, path := range os.Args[1:] {
		before, after, err := shrink(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, "small:", err)
			os.Exit(1) //nolint:forbidigo // a program of its own, no part of muster
		}
		fmt.Printf("%s: %d kB, now %d kB\n", path, before/1000, after/1000) //nolint:forbidigo // its own terminal
	}
}

// shrink writes a picture again, if that makes it smaller.
func shrink(path string) (before, after int, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, 0, err
	}
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", path, err)
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, fewer(full)); err != nil {
		return 0, 0, err
	}
	if out.Len() >= len(data) {
		return len(data), len(data), nil
	}
	return len(data), out.Len(), os.WriteFile(path, out.Bytes(), 0o644)
}

// shade is a colour, and how many pixels have it.
type shade struct {
	c [3]int
	n int
}

// fewer is a picture with the colours that it can do with, each pixel in the nearest one.
func fewer(full image.Image) *image.Paletted {
	b := full.Bounds()
	counts := map[[3]int]int{}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			counts[at(full, x, y)]++
		}
	}
	colours, nearest := palette(counts), map[[3]int]uint8{}
	small := image.NewPaletted(b, colours)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := at(full, x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(colours.Index(rgb(c)))
				nearest[c] = i
			}
			small.SetColorIndex(x, y, i)
		}
	}
	return small
}

func at(m image.Image, x, y int) [3]int {
	r, g, b, _ := m.At(x, y).RGBA()
	return [3]int{int(r >> 8), int(g >> 8), int(b >> 8)}
}

func rgb(c [3]int) color.Color { return color.RGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), 255} }

// palette chooses colours by cutting the space of colours (after Heckbert 1982): the box of colours that spreads
// widest is cut in the middle until there are enough boxes. Of each box its most
// frequent colour is kept, so that grounds and inks stay exactly what they are.
func palette(counts map[[3]int]int) color.Palette {
	all := make([]shade, 0, len(counts))
	for c, n := range counts {
		all = append(all, shade{c, n})
	}
	slices.SortFunc(all, func(a, b shade) int { return slices.Compare(a.c[:], b.c[:]) }) // the same picture, the same bytes
	boxes := [][]shade{all}
	for len(boxes) < most {
		widest, axis, spread := -1, 0, 0
		for i, box := range boxes {
			if a, s := spreadOf(box); s > spread {
				widest, axis, spread = i, a, s
			}
		}
		if widest < 0 {
			break // each box is one colour
		}
		low, high := cut(boxes[widest], axis)
		boxes[widest] = low
		boxes = append(boxes, high)
	}
	var colours color.Palette
	for _, box := range boxes {
		colours = append(colours, rgb(slices.MaxFunc(box, func(a, b shade) int { return cmp.Compare(a.n, b.n) }).c))
	}
	return colours
}

// spreadOf is along which axis a box spreads widest, and how far.
func spreadOf(box []shade) (axis, spread int) {
	for a := range 3 {
		low, high := 255, 0
		for _, s := range box {
			low, high = min(low, s.c[a]), max(high, s.c[a])
		}
		if high-low > spread {
			axis, spread = a, high-low
		}
	}
	return axis, spread
}

// cut cuts a box in the middle of its spread.
func cut(box []shade, axis int) (low, high []shade) {
	slices.SortStableFunc(box, func(a, b shade) int { return cmp.Compare(a.c[axis], b.c[axis]) })
	middle := (box[0].c[axis] + box[len(box)-1].c[axis] + 1) / 2
	i, _ := slices.BinarySearchFunc(box, middle, func(s shade, m int) int { return cmp.Compare(s.c[axis], m) })
	i = min(max(i, 1), len(box)-1)
	return box[:i:i], box[i:]
}
