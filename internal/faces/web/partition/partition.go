package partition

import (
	"cmp"
	"slices"

	musterv1 "github.com/muster-fleet/muster/gen/muster/v1"
	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/faces/draw"
	"github.com/muster-fleet/muster/internal/faces/picture"
	"github.com/muster-fleet/muster/internal/faces/web/coming"
	"github.com/muster-fleet/muster/internal/faces/web/frame"
	"github.com/muster-fleet/muster/internal/faces/web/islands"
	"github.com/muster-fleet/muster/internal/faces/web/parts"
)

// view is what the page of a partition shows.
type view struct {
	v      *frame.Visit
	p      *musterv1.PartitionCapacity
	island string
	drawn
	backing         []backed
	quotas          []*musterv1.Quota
	islands         []string // of the columns of backing
	rows            []islandRow
	namespaces      []*musterv1.NamespaceFlex
	others          *musterv1.NamespaceFlex // of namespaces whose work the reader may not read; nil: there are none
	otherNamespaces int
	coming          coming.View
	planned         coming.PlannedView
	shadow          string // the cluster, where it is in mode shadow
	keeps           string // which buffer policy holds, and of which scope it is; "": not known
}

// drawn is how the islands are drawn.
type drawn struct {
	maps         []islands.Map
	wide, narrow draw.SVG // of islands that are too many to be drawn node by node
}

// backed is one quota's backing, island by island.
type backed struct {
	letter string
	quota  string
	on     map[string]int // GPUs by island
	total  int
	gang   int
	flags  []string
	door   words.Unlisted
	counts []int
}

type islandRow struct {
	*musterv1.IslandCapacity
	path string
}

// mostIslands is how many islands the table of backing has columns for.
const mostIslands = 12

// Page is the page of one partition.
func Page(v *frame.Visit) (frame.Page, error) {
	id := v.Request.PathValue("cluster") + "/" + v.Request.PathValue("gpu")
	c, err := v.Capacity.Capacity(v.Ctx, &musterv1.CapacityRequest{AsOf: v.AsOf, Scope: id})
	if err != nil {
		return frame.Page{}, err
	}
	if len(c.GetPartitions()) != 1 {
		return frame.Page{}, frame.Missing("No partition is named "+parts.Short(id, 80)+".", "The fleet page lists those there are.")
	}
	m := view{v: v, p: c.GetPartitions()[0], island: v.Request.URL.Query().Get("island")}
	if err := m.backings(); err != nil {
		return frame.Page{}, err
	}
	if err := m.draw(); err != nil {
		return frame.Page{}, err
	}
	if m.coming, err = coming.Of(v, id, coming.Most); err != nil {
		return frame.Page{}, err
	}
	if m.planned, err = coming.Planned(v, &musterv1.PlannedWorkRequest{Scope: id}); err != nil {
		return frame.Page{}, err
	}
	x, err := v.Capacity.Flex(v.Ctx, &musterv1.FlexRequest{AsOf: v.AsOf, Scope: id})
	if err != nil {
		return frame.Page{}, err
	}
	for _, pool := range x.GetPools() {
		m.others, m.otherNamespaces = pool.GetOthers(), int(pool.GetOtherNamespaces())
		for _, n := range pool.GetNamespaces() {
			if n.GetUsed()+n.GetWaiting() > 0 { // others ask for nothing here
				m.namespaces = append(m.namespaces, n)
			}
		}
	}
	slices.SortStableFunc(m.namespaces, func(a, b *musterv1.NamespaceFlex) int {
		return cmp.Or(cmp.Compare(b.GetUsed(), a.GetUsed()), cmp.Compare(b.GetWaiting(), a.GetWaiting()))
	})
	m.namespaces = m.namespaces[:min(len(m.namespaces), 30)]
	if mode, err := v.ModeOf(v.Request.PathValue("cluster")); err == nil && mode == "shadow" {
		m.shadow = v.Request.PathValue("cluster")
	}
	m.keeps = keptBack(v, id)
	f := m.p.GetFigures()
	return frame.Page{
		Title: id, Nav: "fleet", Crumbs: frame.Under("Fleet", "/"), Command: words.Shell("muster", "describe", "partition", id), Body: body(m),
		Lead:  draw.Number(int(f.GetHealthy())) + " of " + draw.Number(int(f.GetInstalled())) + " GPUs are healthy; the largest gang that could start now has " + draw.Number(int(f.GetLargestGang())) + ".",
		About: []string{id},
	}, nil
}

// draw draws the nodes, or islands as bars where the nodes are too many.
func (m *view) draw() (err error) {
	nodes := 0
	for _, i := range m.p.GetIslands() {
		nodes += int(i.GetNodes())
	}
	if m.island != "" || nodes <= islands.MostNodes {
		var names []string
		if m.island != "" {
			names = []string{m.island}
		}
		m.maps, err = islands.Of(m.v, m.p.GetPartition(), names, nil, picture.StripsOf(m.p, m.quotas, picture.PerNode(m.p), m.v.To))
		m.captions()
		return err
	}
	per := picture.PerNode(m.p)
	var blocks []draw.Block
	for _, i := range m.rows {
		used, all := int(i.GetUsable()-i.GetFree()), int(i.GetNodes())*per
		quota := min(used, int(i.GetBacked()))
		blocks = append(blocks, draw.Block{
			Name: i.GetIsland(), GPUs: all, Mark: int(i.GetOwnShare()) * per, Href: i.path, Note: draw.Number(int(i.GetFree())) + " free of " + draw.Number(all),
			Parts: []draw.Part{
				{GPUs: quota, Ink: draw.Quota, Says: draw.Number(quota) + " held, on nodes that back quota"},
				{GPUs: used - quota, Ink: draw.Flex, Says: draw.Number(used-quota) + " held on others"},
				{GPUs: int(i.GetFree()), Ink: draw.Empty, Says: draw.Number(int(i.GetFree())) + " free"},
				{GPUs: all - int(i.GetUsable()), Ink: draw.Down, Says: draw.Number(all-int(i.GetUsable())) + " not usable"},
			},
		})
	}
	blocks = blocks[:min(len(blocks), 200)]
	m.wide, m.narrow = draw.Blocks("bl", "Islands of "+m.p.GetPartition(), blocks, draw.Wide), draw.Blocks("bl", "Islands of "+m.p.GetPartition(), blocks, draw.Narrow)
	return nil
}

// backings lists which quota stands on which island.
func (m *view) backings() error {
	q, err := m.v.Quotas.ListQuotas(m.v.Ctx, &musterv1.ListQuotasRequest{AsOf: m.v.AsOf, Partition: m.p.GetPartition()})
	if err != nil {
		return err
	}
	m.quotas = q.GetQuotas()
	for _, i := range m.p.GetIslands() {
		m.rows = append(m.rows, islandRow{i, m.v.To("/partition/"+m.p.GetPartition(), "island", i.GetIsland())})
		if len(m.islands) < mostIslands {
			m.islands = append(m.islands, i.GetIsland())
		}
	}
	for _, one := range q.GetQuotas() {
		for _, g := range one.GetGrants() {
			if g.GetPartition() != m.p.GetPartition() {
				continue
			}
			b := backed{letter: draw.Letter(len(m.backing)), quota: one.GetPath(), door: words.UnlistedOf(one), total: int(g.GetBacked()), gang: int(g.GetGang()), flags: g.GetFlags(), on: map[string]int{}}
			for island, gpus := range g.GetIslands() {
				b.on[island] = int(gpus)
			}
			for _, name := range m.islands {
				b.counts = append(b.counts, b.on[name])
			}
			m.backing = append(m.backing, b)
		}
	}
	return nil
}

// captions say below each island which quotas it backs.
func (m *view) captions() {
	for k := range m.maps {
		for _, b := range m.backing {
			if n := b.on[m.maps[k].Name]; n > 0 {
				m.maps[k].Backs = append(m.maps[k].Backs, islands.Backed{Letter: b.letter, Quota: b.quota, GPUs: n})
			}
		}
	}
}

// bufferUsed is how much of the buffer failures and maintenance took, and how much of it is left.
func (m view) bufferUsed() (used, left int) {
	f := m.p.GetFigures()
	left = max(0, int(f.GetHealthy()-f.GetPromisable()))
	return int(f.GetInstalled() - f.GetHealthy()), left
}

// stripKeys are the parts of the bar below an island (draw.Strip), in their order.
var stripKeys = []struct {
	ink  draw.Ink
	says string
}{
	{draw.Quota, "backs a quota, by name or letter"},
	{draw.Paper, "promisable, and backs no quota"},
	{draw.Buffer, "healthy, and kept back"},
	{draw.Down, "not healthy"},
}
