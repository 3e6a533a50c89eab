package parts

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"github.com/muster-fleet/muster/internal/faces/draw"
)

// Drawing writes a picture as it is: as text it would be copied, and pictures of islands take hundreds of kilobytes.
func Drawing(s draw.SVG) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		_, err := w.Write(s)
		return err
	})
}
