package translate

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/muster-fleet/muster/internal/state/fleet"
)

// Made is what an object says of how it came to be. Nothing of it is a fact by itself: what may
// be believed package kube decides, which knows whether the policy that guards it is in force.
type Made struct {
	Author string // the user whom it names as its author; "": none
	At     fleet.Instant
	By     Maker // what made it; the zero value: no object did
}

// Maker is an object that makes others.
type Maker struct{ Group, Kind, Name, UID string }

// MadeOf reads how an object came to be.
func MadeOf(of metav1.Object) Made {
	m := Made{Author: Clip(of.GetAnnotations()[AnnotationAuthor]), At: instantOf(of.GetCreationTimestamp().Time)}
	if ref := metav1.GetControllerOfNoCopy(of); ref != nil {
		group, _, found := strings.Cut(ref.APIVersion, "/")
		if !found {
			group = ""
		}
		m.By = Maker{Clip(group), Clip(ref.Kind), Clip(ref.Name), Clip(string(ref.UID))}
	}
	return m
}
