package scalesets

import (
	"context"
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/muster-fleet/muster/internal/run/provision"
	"github.com/muster-fleet/muster/internal/state/fleet"
)

// removed says how a removal stands. It has begun once every scale set that is left is being deleted.
func removed(list []*one, operation string) (provision.Report, bool, error) {
	var left []string
	for _, x := range list {
		switch {
		case x.is == nil:
			continue
		case x.is.GetDeletionTimestamp() == nil:
			return provision.Report{}, false, nil
		}
		says := x.want.GetName()
		if is := readyOf(x.is); is["severity"] == "Warning" || is["severity"] == "Error" {
			says += " (" + wordsOfReady(is) + ")"
		}
		left = append(left, says)
	}
	if len(left) > 0 {
		return provision.Report{State: fleet.OperationRunning, Error: "scale sets that are being deleted: " + strings.Join(left, ", ")}, true, nil
	}
	return provision.Report{State: fleet.OperationSucceeded, Detail: "no scale set is left (" + operation + ")"}, true, nil
}

// remove deletes a scale set together with what stands in the cloud: first it says so on the
// resource, as by its policy the cloud's part would stay. Both are bound to this very object.
func (s *ScaleSets) remove(ctx context.Context, x *one, operation string) error {
	if x.is == nil || x.is.GetDeletionTimestamp() != nil {
		return nil
	}
	at, uid := s.API.Resource(x.at()).Namespace(x.is.GetNamespace()), x.is.GetUID()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid, "annotations": map[string]string{notePolicy: manage, noteOperation: operation}}})
	if err != nil {
		return err
	}
	if _, err := at.Patch(ctx, x.is.GetName(), types.MergePatchType, patch, metav1.PatchOptions{FieldManager: manager}); err != nil {
		return err
	}
	err = at.Delete(ctx, x.is.GetName(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if gone(err) {
		return nil
	}
	return err
}
