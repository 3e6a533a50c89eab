package web

import (
	"cmp"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
)

// shadowView is what Muster would have decided in a cluster where it does not act, beside what happened.
type shadowView struct {
	v       *visit
	cluster string
	window  string // how far back: 24h
	windows [][2]string
	later   string
	h       *musterv1.ShadowHistoryResponse
	sums    []shadowSum
	more    int // cases that are not listed
}

// shadowSum is one kind of thing that would have been decided, with what became of it.
type shadowSum struct {
	picture.Shadow
	meter draw.SVG
}

// shadowPath is the part of pages that has what would have been decided: the past is gone through for it.
const shadowPath = "/part/shadow"

// mostShadowCases is how many cases a page lists.
const mostShadowCases = 200

// shadowPage compares what would have been decided in a cluster with what happened.
func shadowPage(v *visit) (page, error) {
	m := shadowView{v: v, cluster: v.r.PathValue("cluster"), window: cmp.Or(v.r.URL.Query().Get("window"), "24h")}
	m.windows = [][2]string{{"1h", "1 hour"}, {"24h", "24 hours"}, {"168h", "7 days"}, {"672h", "28 days"}}
	if d, err := time.ParseDuration(m.window); err != nil || d <= 0 {
		return page{}, &wrongInput{"window", "is no time span: " + short(m.window, 20)}
	}
	mode, err := v.modeOf(m.cluster)
	if err != nil {
		return page{}, err
	}
	m.later = v.to(shadowPath, "cluster", m.cluster, "window", m.window)
	return page{
		title: m.cluster + ": what Muster would decide", nav: "fleet", crumbs: []crumb{{"Fleet", "/"}}, body: shadowBody(m),
		command: words.Shell("muster", "cluster", "shadow", m.cluster, "--since", m.window),
		lead:    "The cluster is in mode " + mode + ". What would have been decided there in mode enforce, and what happened instead.",
	}, nil
}

// modeOf is the mode that a cluster is in now.
func (v *visit) modeOf(cluster string) (string, error) {
	h, err := v.heads.of(v)
	if err != nil {
		return "", err
	}
	if mode := h.modes[cluster]; mode != "" {
		return mode, nil
	}
	return "", &missing{"No cluster is named " + short(cluster, 80) + ".", "The fleet page lists those there are."}
}

// shadowPart is the comparison itself.
func shadowPart(v *visit) (page, error) {
	q := v.r.URL.Query()
	m := shadowView{v: v, cluster: q.Get("cluster")}
	window, err := time.ParseDuration(q.Get("window"))
	if err != nil || window <= 0 {
		return page{}, &wrongInput{"window", "is no time span: " + short(q.Get("window"), 20)}
	}
	since := v.now.Add(-window)
	if begin := v.begin(); since.Before(begin) {
		since = begin
	}
	if m.h, err = v.Haircuts.ShadowHistory(v.ctx, &musterv1.ShadowHistoryRequest{Cluster: m.cluster, Since: timestamppb.New(since)}); err != nil {
		return page{}, err
	}
	for _, s := range picture.ShadowsOf(m.h.GetCases()) {
		var parts []draw.Part
		for _, b := range s.Became {
			parts = append(parts, draw.Part{GPUs: b.Workloads, Ink: picture.BecameInk(b.What), Says: draw.Number(b.Workloads) + " " + b.What})
		}
		m.sums = append(m.sums, shadowSum{s, draw.Meter(s.Workloads, s.Workloads, parts...)})
	}
	if n := len(m.h.GetCases()); n > mostShadowCases {
		m.more, m.h.Cases = n-mostShadowCases, m.h.GetCases()[n-mostShadowCases:]
	}
	return page{part: true, body: shadowCases(m)}, nil
}
