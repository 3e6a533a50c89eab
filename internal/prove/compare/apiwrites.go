package main

import (
	"bufio"
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/muster-fleet/muster/internal/prove/kubetest"
)

// writes are calls that changed something, by what they wrote: "PATCH pods/status".
type writes map[string]int

// writesOf counts the writes that an API server has answered, leases apart.
func writesOf(ctx context.Context, c *kubetest.Cluster) (writes, error) {
	body, err := c.Stream(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return readWrites(body)
}

const requests = "apiserver_request_total{"

var label = regexp.MustCompile(`(verb|resource|subresource)="([^"]*)"`)

// readWrites reads them from the API server's figures.
func readWrites(figures io.Reader) (writes, error) {
	all := writes{}
	lines := bufio.NewScanner(figures)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), requests) {
			continue
		}
		is := map[string]string{}
		for _, m := range label.FindAllStringSubmatch(lines.Text(), -1) {
			is[m[1]] = m[2]
		}
		value, err := strconv.ParseFloat(lines.Text()[strings.LastIndexByte(lines.Text(), ' ')+1:], 64)
		if err != nil {
			return nil, err
		}
		if changes[is["verb"]] && is["resource"] != "leases" {
			all[strings.TrimSuffix(is["verb"]+" "+is["resource"]+"/"+is["subresource"], "/")] += int(value)
		}
	}
	return all, lines.Err()
}

// changes are the verbs that write.
var changes = map[string]bool{"POST": true, "PUT": true, "PATCH": true, "APPLY": true, "DELETE": true, "DELETECOLLECTION": true}

// since are the writes that came after some others.
func (w writes) since(before writes) writes {
	more := writes{}
	for what, n := range w {
		if n > before[what] {
			more[what] = n - before[what]
		}
	}
	return more
}

// sum is how many there are: all, and those of events.
func (w writes) sum() (all, events int) {
	for what, n := range w {
		all += n
		if strings.HasSuffix(what, " events") {
			events += n
		}
	}
	return all, events
}
