package nodefit

import (
	"unique"

	corev1 "k8s.io/api/core/v1"
)

// Thousands of nodes and pods say the same words. Each is kept once, and labels as a list of
// words, which takes a quarter of the room of a map.

// words are keys and values by turns.
type words []unique.Handle[string]

func wordsOf(labels map[string]string) words {
	if len(labels) == 0 {
		return nil
	}
	list := make(words, 0, 2*len(labels))
	for key, value := range labels {
		list = append(list, unique.Make(key), unique.Make(value))
	}
	return list
}

// set is what wordsOf was given.
func (w words) set() map[string]string {
	labels := make(map[string]string, len(w)/2)
	for i := 0; i+1 < len(w); i += 2 {
		labels[w[i].Value()] = w[i+1].Value()
	}
	return labels
}

// get is the value of a key.
func (w words) get(key string) (value string, ok bool) {
	for i := 0; i+1 < len(w); i += 2 {
		if w[i].Value() == key {
			return w[i+1].Value(), true
		}
	}
	return "", false
}

// once is a text that is kept once, however often it is said.
func once[S ~string](s S) S { return S(unique.Make(string(s)).Value()) }

func onceTolerations(list []corev1.Toleration) []corev1.Toleration {
	out := make([]corev1.Toleration, len(list))
	for i, t := range list {
		out[i] = corev1.Toleration{Key: once(t.Key), Operator: once(t.Operator), Value: once(t.Value), Effect: once(t.Effect)}
	}
	return out
}
