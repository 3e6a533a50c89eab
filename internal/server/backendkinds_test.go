package server

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/muster-fleet/muster/internal/server/datafolder"
)

// drivenBy is a driver that this version does not have, as one more row.
func drivenBy(name string) backendKind {
	return backendKind{
		asked: func(o upOptions) bool { return o.Advertise == name },
		mark:  func(upOptions) string { return "driver " + name },
		owns:  func(mark string) bool { return mark == "driver "+name },
		goOn:  func(string) string { return "is " + name + "'s" },
	}
}

// asks are options that ask for each kind of cluster, by the mark of its folders.
var asks = map[string]upOptions{
	simulationMark:   {},
	multiClusterMark: {Agents: "127.0.0.1:0"},
	"tiger":          {Join: &joinOptions{Name: "tiger"}},
	"lynx":           {Join: &joinOptions{Name: "lynx"}},
	"driver slurm":   {Advertise: "slurm"},
}

// A folder is carried out by the kind of cluster that began it, and by no other: neither is
// a driver's fleet ever simulated, nor a cluster's given to a driver.
func TestAFolderIsCarriedOutByItsOwnKindOnly(t *testing.T) {
	list := slices.Insert(backendKinds(), 0, drivenBy("slurm"))
	for began, first := range asks {
		for wanted, then := range asks {
			f := &datafolder.Folder{Path: t.TempDir()}
			if err := settleBackendKind(f, first, list, false); err != nil {
				t.Fatalf("%q begins: %v", began, err)
			}
			err := settleBackendKind(f, then, list, true)
			goesOn := began == wanted || wanted == multiClusterMark && oneCluster(began)
			if (err == nil) != goesOn {
				t.Errorf("a folder of %q is started as one of %q: %v", began, wanted, err)
			}
			if data, _ := os.ReadFile(f.File(datafolder.ClusterMark)); err != nil && strings.TrimSpace(string(data)) != began {
				t.Errorf("a folder of %q that was refused to %q is marked %q", began, wanted, data)
			}
		}
	}
}

// A mark that no row knows is a newer version's: its fleet is not simulated either.
func TestAFolderOfAnUnknownKindIsNotSimulated(t *testing.T) {
	f := &datafolder.Folder{Path: t.TempDir()}
	if err := os.WriteFile(f.File(datafolder.ClusterMark), []byte("driver slurm\n"), datafolder.PrivateFile); err != nil {
		t.Fatal(err)
	}
	for wanted, o := range asks {
		if err := settleBackendKind(f, o, backendKinds(), true); wanted != "driver slurm" && (err == nil || !strings.Contains(err.Error(), `"driver slurm"`)) {
			t.Errorf("a driver's folder is started as one of %q: %v", wanted, err)
		}
	}
}

// Every kind but the simulation marks its folders, so that a row without a mark is noticed;
// no row answers for the mark of another.
func TestEveryBackendKindHasAMarkOfItsOwn(t *testing.T) {
	list := backendKinds()
	for i, c := range list {
		o := upOptions{Agents: "127.0.0.1:0", Join: &joinOptions{Name: "tiger"}}
		mark := c.mark(o)
		if last := i == len(list)-1; (mark == simulationMark) != last || !c.owns(mark) {
			t.Errorf("row %d marks its folders %q", i, mark)
		}
		for j, other := range list {
			if i != j && other.owns(mark) {
				t.Errorf("the mark %q of row %d is row %d's too", mark, i, j)
			}
		}
	}
}
