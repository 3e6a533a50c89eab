package tofu

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/run/wholefile"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// record is how a run stands, as its file says.
type record struct {
	Operation string
	Cluster   string
	Step      fleet.Step
	State     fleet.OperationState
	Class     fleet.ErrorClass `json:",omitempty"`
	Error     string           `json:",omitempty"`
	Projects  []project
	Destroys  []string `json:",omitempty"` // what a person has to allow, or has allowed
	Allowed   []string `json:",omitempty"`
	Blocks    int      `json:",omitempty"` // how often a person was asked
}

// project is how one project of a run stands.
type project struct {
	Name    string
	Commit  string `json:",omitempty"`
	Applied bool   `json:",omitempty"`
	Empty   bool   `json:",omitempty"` // the plan after the apply was empty
}

// newRecord is a run that has not begun.
func newRecord(o provision.Order) (*record, error) {
	rec := &record{Operation: o.ID, Cluster: o.Record.Name, Step: o.Step, State: fleet.OperationRunning}
	for _, name := range o.Blueprint.Projects {
		if !filepath.IsLocal(name) {
			return nil, fmt.Errorf("blueprint %s: project %q is no folder within the source of projects", o.Blueprint.Name, name)
		}
		rec.Projects = append(rec.Projects, project{Name: name})
	}
	if len(rec.Projects) == 0 {
		return nil, fmt.Errorf("blueprint %s has the runner %s and no projects; name their folders", o.Blueprint.Name, Word)
	}
	if o.Step == fleet.StepTeardown { // what came last goes first
		slices.Reverse(rec.Projects)
	}
	return rec, nil
}

// report is how a run stands, for the engine.
func (rec *record) report(now time.Time) provision.Report {
	p := provision.Report{State: rec.State, Class: rec.Class, Error: rec.Error, Detail: rec.evidence()}
	if rec.State == fleet.OperationRunning {
		p.Again = fleet.InstantOf(now.Add(5 * time.Second))
	}
	if rec.Blocks > 0 { // another question has another link
		p.Link = "tofu://" + rec.Operation + "#" + strconv.Itoa(rec.Blocks)
	}
	return p
}

// evidence says of each project what is known of it.
func (rec *record) evidence() string {
	var list []string
	for _, p := range rec.Projects {
		if p.Empty {
			list = append(list, p.Name+" at "+p.Commit+": empty plan")
		}
	}
	return strings.Join(list, "; ")
}

func (r *Runner) folderOf(operation string) string {
	return filepath.Join(r.o.Folder, "runs", operation)
}

// LogOf is the file of a run's log.
func (r *Runner) LogOf(operation string) string { return filepath.Join(r.folderOf(operation), "log") }

func (r *Runner) save(rec *record) error {
	data, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return fmt.Errorf("tofu: %w", err)
	}
	folder := r.folderOf(rec.Operation)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("tofu: %w", err)
	}
	return wholefile.WriteBytes(filepath.Join(folder, "run.json"), data)
}

func (r *Runner) load(operation string) (*record, error) {
	data, err := os.ReadFile(filepath.Join(r.folderOf(operation), "run.json"))
	if err != nil {
		return nil, err
	}
	rec := &record{}
	if err := json.Unmarshal(data, rec); err != nil {
		return nil, fmt.Errorf("tofu: the record of run %s: %w", operation, err)
	}
	return rec, nil
}
