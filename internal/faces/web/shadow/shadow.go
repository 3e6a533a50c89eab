package shadow

import (
	"cmp"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
)

// view is what Muster would have decided in a cluster where it does not act, beside what happened.
type view struct {
	v       *frame.Visit
	cluster string
	window  string // how far back: 24h
	windows [][2]string
	later   string
	h       *musterv1.ShadowHistoryResponse
	sums    []sum
	more    int // cases that are not listed
}

// sum is one kind of thing that would have been decided, with what became of it.
type sum struct {
	picture.Shadow
	meter draw.SVG
}

// shadowPath is the part of pages that has what would have been decided: the past is gone through for it.
const shadowPath = "/part/shadow"

// mostShadowCases is how many cases a page lists.
const mostShadowCases = 200

// Page compares what would have been decided in a cluster with what happened.
func Page(v *frame.Visit) (frame.Page, error) {
	m := view{v: v, cluster: v.Request.PathValue("cluster"), window: cmp.Or(v.Request.URL.Query().Get("window"), "24h")}
	m.windows = [][2]string{{"1h", "1 hour"}, {"24h", "24 hours"}, {"168h", "7 days"}, {"672h", "28 days"}}
	if d, err := time.ParseDuration(m.window); err != nil || d <= 0 {
		return frame.Page{}, frame.NoSpan("window", m.window)
	}
	mode, err := v.ModeOf(m.cluster)
	if err != nil {
		return frame.Page{}, err
	}
	m.later = v.To(shadowPath, "cluster", m.cluster, "window", m.window)
	return frame.Page{
		Title: m.cluster + ": what Muster would decide", Nav: "fleet", Crumbs: frame.Under("Fleet", "/"), Body: body(m),
		Command: words.Shell("muster", "cluster", "shadow", m.cluster, "--since", m.window),
		Lead:    lead(mode),
		About:   []string{m.cluster},
	}, nil
}

// lead says what the page compares.
func lead(mode string) string {
	if mode == "enforce" {
		return "The cluster is in mode enforce: Muster decides there. This page compares the time before that."
	}
	return "The cluster is in mode " + mode + ". What Muster would have decided there in mode enforce, and what happened instead."
}

// Part is the comparison itself.
func Part(v *frame.Visit) (frame.Page, error) {
	q := v.Request.URL.Query()
	m := view{v: v, cluster: q.Get("cluster")}
	window, err := time.ParseDuration(q.Get("window"))
	if err != nil || window <= 0 {
		return frame.Page{}, frame.NoSpan("window", q.Get("window"))
	}
	since := v.Now.Add(-window)
	if begin := v.Begin(); since.Before(begin) {
		since = begin
	}
	if m.h, err = v.Haircuts.ShadowHistory(v.Ctx, &musterv1.ShadowHistoryRequest{Cluster: m.cluster, Since: timestamppb.New(since)}); err != nil {
		return frame.Page{}, err
	}
	for _, s := range picture.ShadowsOf(m.h.GetCases()) {
		var parts []draw.Part
		for _, b := range s.Became {
			parts = append(parts, draw.Part{GPUs: b.Workloads, Ink: picture.BecameInk(b.What), Says: draw.Number(b.Workloads) + " " + b.What})
		}
		m.sums = append(m.sums, sum{s, draw.Meter(s.Workloads, s.Workloads, parts...)})
	}
	if n := len(m.h.GetCases()); n > mostShadowCases {
		m.more, m.h.Cases = n-mostShadowCases, m.h.GetCases()[n-mostShadowCases:]
	}
	return frame.Page{Part: true, Body: shadowCases(m)}, nil
}
