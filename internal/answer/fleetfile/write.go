package fleetfile

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/muster-fleet/muster/internal/answer/words"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Write is the fleet as a file: reading it back and comparing finds no
// difference.
func Write(s *fleet.State) []byte {
	var b bytes.Buffer
	writePolicy(&b, s)
	writeHealth(&b, s)
	writeClusters(&b, s)
	writeQuotas(&b, s)
	return b.Bytes()
}

func writePolicy(b *bytes.Buffer, s *fleet.State) {
	p := s.Policy
	fmt.Fprintln(b, "policy:")
	fmt.Fprintf(b, "  buffer: %s\n", bufferFields(p.Buffer))
	fmt.Fprintf(b, "  dwell: %s\n", words.Duration(p.Dwell))
	fmt.Fprintf(b, "  probation: %s\n", words.Duration(p.Probation))
	fmt.Fprintf(b, "  staleAfter: %s\n", words.Duration(p.StaleAfter))
	fmt.Fprintf(b, "  idle: {threshold: %s, window: %s}\n", words.Fraction(p.Idle.Threshold), words.Duration(p.Idle.Window))
	fmt.Fprintf(b, "  flexMinimum: %s\n", words.Duration(p.FlexMinimum))
	fmt.Fprintf(b, "  maxGrace: %s\n", words.Duration(p.MaxGrace))
	if m := p.Maintenance; m != (fleet.MaintenancePolicy{}) {
		fmt.Fprintf(b, "  maintenance: {horizon: %s, lead: %s, validation: %s, keepRoom: %s, nfzDays: %d}\n",
			words.Duration(m.Horizon), words.Duration(m.Lead), words.Duration(m.Validation), words.Duration(m.KeepRoom), m.ZoneDays)
	}
	if p.OpenReading {
		fmt.Fprintln(b, "  openReading: true")
	}
	if p.TwoPeople != (fleet.TwoPeople{}) {
		fmt.Fprintf(b, "  twoPeople: [%s]\n", strings.Join(p.TwoPeople.Names(), ", "))
	}
	if p.SecondPerson {
		fmt.Fprintln(b, "  secondPerson: true")
	}
	fmt.Fprintf(b, "  targets: %s\n", targetsText(p.Targets))
}

func writeClusters(b *bytes.Buffer, s *fleet.State) {
	if len(s.Clusters) == 0 {
		return
	}
	fmt.Fprintln(b, "clusters:")
	for _, c := range s.Clusters {
		var parts bytes.Buffer
		for _, p := range s.Partitions {
			if p.Cluster == c.Name {
				writePartition(&parts, s, p)
			}
		}
		fmt.Fprintf(b, "  - name: %s\n", scalar(c.Name))
		if c.Targets != (fleet.Targets{}) {
			fmt.Fprintf(b, "    targets: %s\n", ownTargets(c.Targets))
		}
		writeBuffer(b, "    ", s, c.Name)
		fmt.Fprintf(b, "    partitions:%s\n", items(&parts))
	}
}

func writePartition(b *bytes.Buffer, s *fleet.State, p *fleet.Partition) {
	var islands bytes.Buffer
	for _, i := range p.Islands {
		own := ""
		if buffer, has := s.Buffers[p.ID+"/"+i.Name]; has {
			own = ", buffer: " + bufferFields(buffer)
		}
		fmt.Fprintf(&islands, "          - {name: %s, racks: %d, %s%s}\n", scalar(i.Name), i.Racks, nodesOf(p, i), own)
	}
	fmt.Fprintf(b, "      - gpu: %s\n        gpusPerNode: %d\n", scalar(p.GPU), p.GPUsPerNode)
	writeBuffer(b, "        ", s, p.ID)
	fmt.Fprintf(b, "        islands:%s\n", items(&islands))
}

// writeBuffer writes the buffer policy that a scope has of its own, if it has one.
func writeBuffer(b *bytes.Buffer, indent string, s *fleet.State, scope string) {
	if buffer, has := s.Buffers[scope]; has {
		fmt.Fprintf(b, "%sbuffer: %s\n", indent, bufferFields(buffer))
	}
}

// items is a list that stands under its key, without the last line's end.
func items(b *bytes.Buffer) string {
	if b.Len() == 0 {
		return " []"
	}
	return "\n" + strings.TrimSuffix(b.String(), "\n")
}

// nodesOf is a count where the names follow the convention, else the names.
func nodesOf(p *fleet.Partition, i *fleet.Island) string {
	counted := true
	var names []string
	for k, n := range i.Nodes() {
		name := p.Nodes[n].Name
		counted = counted && name == NodeName(p.Cluster, p.GPU, i.Name, k+1)
		names = append(names, scalar(name))
	}
	if counted {
		return fmt.Sprintf("nodes: %d", len(names))
	}
	return "names: [" + strings.Join(names, ", ") + "]"
}

func writeQuotas(b *bytes.Buffer, s *fleet.State) {
	if len(s.Quotas) == 0 {
		return
	}
	fmt.Fprintln(b, "quotas:")
	for _, q := range s.Quotas {
		fmt.Fprintf(b, "  - path: %s\n", scalar(q.Path))
		if q.Owner != "" {
			fmt.Fprintf(b, "    owner: %s\n", scalar(q.Owner))
		}
		writeGrants(b, s, q.Path)
		writeAccess(b, q.Access)
	}
}

func writeGrants(b *bytes.Buffer, s *fleet.State, quota string) {
	var grants []string
	for _, p := range s.Partitions {
		a := p.Account(quota)
		if a == nil || a.Lasting() == 0 {
			continue
		}
		gang := ""
		if declared, _ := a.AfterEnd(); declared > 0 {
			gang = ", gang: " + strconv.Itoa(declared)
		}
		grants = append(grants, fmt.Sprintf("      - {partition: %s, gpus: %d%s}\n", scalar(p.ID), a.Lasting(), gang))
	}
	if len(grants) > 0 {
		b.WriteString("    grants:\n" + strings.Join(grants, ""))
	}
}

func writeAccess(b *bytes.Buffer, a fleet.Access) {
	if a.Unlisted() {
		return
	}
	fmt.Fprintf(b, "    access: {users: %s, groups: %s, namespaces: %s}\n", list(a.Users), list(a.Groups), list(a.Namespaces))
}

func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = scalar(t)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// scalar writes a text so that YAML reads it as that text again.
func scalar(text string) string {
	node := yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if plainText.MatchString(text) && node.ShortTag() == "!!str" {
		return text
	}
	quoted := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text}
	out, err := yaml.Marshal(&quoted)
	if err != nil {
		panic(err) // a text can always be written
	}
	return strings.TrimSpace(string(out))
}

// plainText needs no quotes, unless it looks like a number or another word of YAML's own.
var plainText = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*$`)

// bufferFields is a buffer as a file has it.
func bufferFields(b fleet.Buffer) string {
	parts := []string{"kind: " + string(b.Kind)}
	for _, s := range b.Settings() {
		parts = append(parts, s.Name+": "+words.Fraction(*s.At))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// ownTargets is a cluster's own targets as a file has them.
func ownTargets(t fleet.Targets) string {
	var parts []string
	if t.Availability != 0 {
		parts = append(parts, "availability: "+words.Fraction(t.Availability))
	}
	if t.Uptime != 0 {
		parts = append(parts, "uptime: "+words.Fraction(t.Uptime))
	}
	if t.MTTR != 0 {
		parts = append(parts, "mttr: "+words.Duration(t.MTTR))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
