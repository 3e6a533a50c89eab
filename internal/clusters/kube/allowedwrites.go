package kube

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/clusters/kube/translate"
)

var getOptions = metav1.GetOptions{}

// write is a call that changes something, as it came over the line.
type write struct {
	aim          aim
	method, kind string // of the call, and of its body
	body         []byte
	mode         Mode
}

// bars says why a call is none that Muster makes; "": it is one.
func (w write) bars() string {
	switch call := w.method + " " + w.aim.kind() + "/" + w.aim.part; {
	case w.method == http.MethodPatch && slices.Contains(kueueWritten, w.aim.kind()) && w.aim.part == "":
		return w.barsApply()
	case !w.mode.Manage:
		return "it was started without --manage"
	case call == "PATCH pods/":
		return w.patch(types.StrategicMergePatchType, podPatch)
	case call == "PATCH pods/status":
		return w.patch(types.StrategicMergePatchType, podStatus)
	case call == "POST pods/eviction":
		return w.barsEviction()
	case call == "POST pods/binding":
		return w.barsBinding()
	case call == "DELETE pods/":
		return w.barsDelete()
	case call == "POST events/":
		return w.barsEvent()
	case w.method == http.MethodPost && w.aim.makesJobs():
		return w.plain(runtime.ContentTypeJSON) // and held against the cluster's own template
	case call == "PATCH nodes/":
		return w.patch(types.MergePatchType, nodePatch)
	case call == "PATCH nodes/status":
		return w.patch(types.StrategicMergePatchType, nodeStatus)
	case call == "PATCH jobs.batch/", call == "PATCH jobsets.jobset.x-k8s.io/":
		return w.patch(types.MergePatchType, suspension)
	}
	return "there is no such call of it"
}

// shape says what the members of a patch may be: each by its name, or by the beginning of
// it, which then ends with *. Texts are one of several, with | between them. Of lists it says
// so for each entry. Where it goes on, null is none of it: that would take all members away, those of others too.
type shape map[string]any

// orNone is a shape where null may stand instead.
type orNone struct{ shape }

// anything is a member that may be whatever it is.
const anything = "anything"

// The patches that Muster makes.
var (
	podPatch = shape{
		"metadata": shape{"uid": anything, "annotations": shape{translate.AnnotationNode: anything, deletionCost: anything}},
		"spec": shape{
			"schedulingGates": shape{"$patch": "delete", "name": translate.Gate},
			"affinity":        shape{"nodeAffinity": shape{"requiredDuringSchedulingIgnoredDuringExecution": anything}},
		},
	}
	podStatus = shape{
		"metadata": shape{"uid": anything},
		"status":   shape{"conditions": shape{"type": translate.Condition + "|" + translate.ConditionPlanned, "status": anything, "reason": anything, "message": anything, "lastTransitionTime": anything, "lastProbeTime": anything}},
	}
	suspension = shape{
		"metadata": shape{"uid": anything, "annotations": shape{translate.AnnotationSuspends: anything}},
		"spec":     shape{"suspend": anything},
	}
	nodePatch = shape{
		"metadata": shape{
			"resourceVersion": anything,
			"annotations":     shape{"muster.dev/*": anything, "cluster-autoscaler.kubernetes.io/scale-down-disabled": anything, "karpenter.sh/do-not-disrupt": anything},
			"labels":          shape{translate.LabelMaintenance: anything},
		},
		// The taints are held against the node itself, as this program reads them: so no other member is let through.
		"spec": shape{"taints": orNone{shape{"key": anything, "value": anything, "effect": anything, "timeAdded": anything}}},
	}
	nodeStatus = shape{
		"status": shape{"conditions": shape{
			"$patch": "delete", "type": "muster.dev/*|" + strings.Join([]string{translate.ConditionOf(translate.MarkMaintenance), translate.StagePlanned, translate.StageDraining, translate.StageDrained}, "|"), "status": anything, "reason": anything, "message": anything, "lastTransitionTime": anything, "lastHeartbeatTime": anything,
		}},
	}
)

// plain says why a body is not written in the one way in which Muster writes it, and which all read alike.
func (w write) plain(kind string) string {
	if w.kind != kind {
		return "its body is " + kind
	}
	if err := unambiguous(w.body); err != nil {
		return err.Error()
	}
	return ""
}

// patch holds a patch against its shape, which is one of its kind: a list is taken in whole by a patch of one kind, and
// merged by one of the other. A patch of a pod or of what makes pods names the object's UID, so that it meets no other
// one of that name.
func (w write) patch(kind types.PatchType, want shape) string {
	if why := w.plain(string(kind)); why != "" {
		return why
	}
	var is map[string]any
	if err := json.Unmarshal(w.body, &is); err != nil {
		return "its body is no JSON"
	}
	if slices.Contains(targeted, w.aim.kind()) && w.uid() == "" {
		return "it names no UID"
	}
	return want.bars(is, "")
}

func (s shape) bars(is any, at string) string {
	switch is := is.(type) {
	case []any:
		for _, one := range is {
			if why := s.bars(one, at); why != "" {
				return why
			}
		}
		return ""
	case map[string]any:
		for name, value := range is {
			if why := s.barsMember(name, value, at+"."+name); why != "" {
				return why
			}
		}
		return ""
	}
	return at + " is no object"
}

func (s shape) barsMember(name string, value any, at string) string {
	want, known := s[name]
	for pattern, one := range s {
		if start, open := strings.CutSuffix(pattern, "*"); open && strings.HasPrefix(name, start) && !known {
			want, known = one, true
		}
	}
	switch want := want.(type) {
	case shape:
		return want.bars(value, at)
	case orNone:
		if value == nil {
			return ""
		}
		return want.bars(value, at)
	case string:
		text, _ := value.(string)
		for one := range strings.SplitSeq(want, "|") {
			start, open := strings.CutSuffix(one, "*")
			if one == anything || text == one || open && strings.HasPrefix(text, start) {
				return ""
			}
		}
		return at + " is not what Muster writes there"
	}
	return at + " is nothing that Muster writes"
}

// uid is the UID of the object that a call means; "": it does not say.
func (w write) uid() string {
	if w.method == http.MethodPatch {
		var is struct {
			Metadata struct {
				UID string `json:"uid"`
			} `json:"metadata"`
		}
		_ = json.Unmarshal(w.body, &is)
		return is.Metadata.UID
	}
	if o, ok := w.decoded().(*policyv1.Eviction); ok && o.DeleteOptions != nil {
		return conditionOf(o.DeleteOptions)
	}
	if o, ok := w.decoded().(*corev1.Binding); ok {
		return string(o.UID)
	}
	if o, ok := w.decoded().(*metav1.DeleteOptions); ok {
		return conditionOf(o)
	}
	return ""
}

// conditionOf is the UID that a deletion is bound to.
func conditionOf(o *metav1.DeleteOptions) string {
	if o.Preconditions == nil || o.Preconditions.UID == nil {
		return ""
	}
	return string(*o.Preconditions.UID)
}

// bodies reads what is written besides patches, in whatever encoding.
var bodies = func() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // they are the types of this program
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return serializer.NewCodecFactory(scheme).UniversalDeserializer()
}()

// decoded is the body as an object; nil: it is none that is known.
func (w write) decoded() runtime.Object {
	is, _, err := bodies.Decode(w.body, nil, nil)
	if err != nil {
		return nil
	}
	return is
}

func (w write) barsEviction() string {
	is, ok := w.decoded().(*policyv1.Eviction)
	if !ok || is.Name != w.aim.name || is.Namespace != w.aim.namespace || w.uid() == "" {
		return "an eviction names the pod of its path, and its UID"
	}
	return ""
}

func (w write) barsBinding() string {
	is, ok := w.decoded().(*corev1.Binding)
	if !ok || is.Name != w.aim.name || is.Namespace != "" && is.Namespace != w.aim.namespace || is.Target.Kind != "Node" || w.uid() == "" {
		return "a binding names the pod of its path, its UID, and a node"
	}
	for note := range is.Annotations {
		if note != translate.AnnotationNode {
			return "a binding writes no annotation but " + translate.AnnotationNode
		}
	}
	if len(is.Labels) > 0 {
		return "a binding writes no label"
	}
	return ""
}

func (w write) barsDelete() string {
	if w.uid() == "" {
		return "a deletion names the pod's UID"
	}
	return ""
}

func (w write) barsEvent() string {
	is, ok := w.decoded().(*corev1.Event)
	if !ok || is.Source.Component != "muster" || is.Namespace != w.aim.namespace || is.InvolvedObject.Namespace != w.aim.namespace {
		return "an event is Muster's, about an object of its namespace"
	}
	return ""
}

func (w write) barsApply() string {
	var is struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if !w.mode.Kueue || w.kind != "application/apply-patch+yaml" || json.Unmarshal(w.body, &is) != nil || is.Metadata.Name != w.aim.name {
		return "Kueue's queues are applied as a whole, by the name of the path"
	}
	return ""
}

// taints are those that a patch gives a node.
func (w write) taints() (list []corev1.Taint, given bool) {
	var is struct {
		Spec *struct {
			Taints []corev1.Taint `json:"taints"`
		} `json:"spec"`
	}
	if json.Unmarshal(w.body, &is) != nil || is.Spec == nil {
		return nil, false
	}
	return is.Spec.Taints, true
}

// foreignTaints are the taints that are not Muster's, in one order.
func foreignTaints(all []corev1.Taint, fences bool) (list []string) {
	for _, t := range all {
		mine := strings.HasPrefix(t.Key, "muster.dev/") || fences && t.Key == translate.OutOfService && t.Value == translate.FencedBy
		if !mine {
			list = append(list, t.Key+"="+t.Value+":"+string(t.Effect))
		}
	}
	slices.Sort(list)
	return list
}
