package scalesets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// What Muster writes on a scale set.
const (
	noteCluster   = "muster.dev/cluster"
	noteIsland    = "muster.dev/island"
	noteOperation = "muster.dev/operation"
	notePolicy    = "serviceoperator.azure.com/reconcile-policy"
	detach        = "detach-on-delete" // what stands in the cloud outlives its resource
	manage        = "manage"
	manager       = "muster"
	group         = "compute.azure.com"
	kind          = "VirtualMachineScaleSet"
	resource      = "virtualmachinescalesets"
)

// longestName keeps the names of machines, which begin with it, below what Azure takes.
const longestName = 40

var notOfName = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf is the name of an island's scale set: always the same, and no other island's.
func nameOf(cluster, island string) string {
	plain := strings.Trim(notOfName.ReplaceAllString(strings.ToLower(cluster+"-"+island), "-"), "-")
	sum := sha256.Sum256([]byte(cluster + "\n" + island))
	return strings.Trim("s-"+plain[:min(len(plain), longestName)], "-") + "-" + hex.EncodeToString(sum[:4])
}

// template reads the manifest of a blueprint: a VirtualMachineScaleSet in which ${cluster},
// ${island}, ${subscription}, ${region}, ${sku} and the record's variables stand for theirs.
func (s *ScaleSets) template(o *provision.Order, i fleet.RecordIsland) (*unstructured.Unstructured, error) {
	if !filepath.IsLocal(o.Blueprint.Name) || filepath.Base(o.Blueprint.Name) != o.Blueprint.Name {
		return nil, fmt.Errorf("the scale sets of blueprint %s: its name is no name of a file", o.Blueprint.Name)
	}
	file := filepath.Join(s.Templates, o.Blueprint.Name+".yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the scale sets of blueprint %s: %w", o.Blueprint.Name, err)
	}
	var of map[string]any
	if err := yaml.Unmarshal(data, &of); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	filled, err := fill(of, wordsOf(&o.Record, i))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	is := &unstructured.Unstructured{Object: filled.(map[string]any)}
	if gvk := is.GroupVersionKind(); gvk.Group != group || gvk.Kind != kind {
		return nil, fmt.Errorf("%s: it is a %s, and has to be a %s of %s", file, gvk.GroupKind(), kind, group)
	}
	return is, nil
}

// wordsOf are what a template may name.
func wordsOf(r *fleet.ClusterRecord, i fleet.RecordIsland) map[string]string {
	words := map[string]string{"cluster": r.Name, "island": i.Name, "subscription": r.Subscription, "region": r.Region, "sku": r.SKU, "gpu": r.GPU, "owner": r.Owner}
	for name, value := range r.Variables {
		if _, ours := words[name]; !ours && !reference(value) {
			words[name] = value
		}
	}
	return words
}

// reference says whether a variable says where a secret is. None is written into a resource.
func reference(value string) bool {
	return strings.HasPrefix(value, "env:") || strings.HasPrefix(value, "file:") || strings.HasPrefix(value, "secret:")
}

var word = regexp.MustCompile(`\$\{([^}]*)\}`)

// fill puts words in their places. Values are filled after the file was read as YAML, so a word
// never becomes more than a text.
func fill(of any, words map[string]string) (any, error) {
	switch of := of.(type) {
	case string:
		return fillText(of, words)
	case int:
		return int64(of), nil
	case []any:
		for i := range of {
			is, err := fill(of[i], words)
			if err != nil {
				return nil, err
			}
			of[i] = is
		}
	case map[string]any:
		for name := range of {
			is, err := fill(of[name], words)
			if err != nil {
				return nil, err
			}
			of[name] = is
		}
	}
	return of, nil
}

func fillText(text string, words map[string]string) (_ string, wrong error) {
	out := word.ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		value, known := words[name]
		if !known {
			wrong = fmt.Errorf("%s is no word of the record; its variables may name one, which is no secret", found)
		}
		return value
	})
	return out, wrong
}

// wanted is the scale set of an island as it is applied.
func (s *ScaleSets) wanted(o *provision.Order, i fleet.RecordIsland) (*unstructured.Unstructured, error) {
	is, err := s.template(o, i)
	if err != nil {
		return nil, err
	}
	is.SetName(nameOf(o.Record.Name, i.Name))
	if is.GetNamespace() == "" {
		is.SetNamespace("default")
	}
	notes := is.GetAnnotations()
	if notes == nil {
		notes = map[string]string{}
	}
	if notes[notePolicy] == "" {
		notes[notePolicy] = detach
	}
	notes[noteCluster], notes[noteIsland], notes[noteOperation] = o.Record.Name, i.Name, o.ID
	is.SetAnnotations(notes)
	for _, field := range []struct {
		value any
		path  []string
	}{
		{int64(i.Nodes), []string{"spec", "sku", "capacity"}},
		{o.Record.SKU, []string{"spec", "sku", "name"}},
		{o.Record.Region, []string{"spec", "location"}},
		{is.GetName(), []string{"spec", "azureName"}},
	} {
		if err := unstructured.SetNestedField(is.Object, field.value, field.path...); err != nil {
			return nil, fmt.Errorf("the scale sets of blueprint %s: %w", o.Blueprint.Name, err)
		}
	}
	return &unstructured.Unstructured{Object: runtime.DeepCopyJSON(is.Object)}, nil
}
