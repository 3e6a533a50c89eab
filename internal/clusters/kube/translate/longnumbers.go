package translate

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// longNumber is one whose exponent has more digits than that of any quantity.
var longNumber = regexp.MustCompile(`^[+-]?[0-9.]+[eE][+-]?[0-9]{4,}$`)

// LongNumber is a number of an object that may not be read as a quantity; "": there is none. 1e-999999999 has twelve
// characters: to read it takes gigabytes, and minutes. No API server reads what stands in the templates of a JobSet, a
// RayCluster and the like.
func LongNumber(of any) string {
	switch of := of.(type) {
	case string:
		if longNumber.MatchString(of) {
			return of
		}
	case []any:
		for _, one := range of {
			if text := LongNumber(one); text != "" {
				return text
			}
		}
	case map[string]any:
		for _, one := range of {
			if text := LongNumber(one); text != "" {
				return text
			}
		}
	}
	return ""
}

// Quantity reads an amount that a user of a cluster wrote.
func Quantity(text string) (q resource.Quantity, err error) {
	if LongNumber(text) != "" {
		return q, tooLong(text)
	}
	return resource.ParseQuantity(text)
}

func tooLong(text string) error { return fmt.Errorf("the number %.40q is too long to be read", text) }

// TemplateInto reads a template of pods as what it is of.
func TemplateInto(template map[string]any, into any) error {
	if text := LongNumber(template); text != "" {
		return tooLong(text)
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(template, into)
}
