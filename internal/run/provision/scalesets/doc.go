// Package scalesets makes the scale sets of clusters as resources of Azure Service Operator: one
// for each island, in the management cluster, by server-side apply.
//
// A scale set has the same name in every try and bears the operation that applied it, so no crash
// makes two, and no second try repeats what stands. What a person has changed is theirs: it is
// said, and not overwritten. The operator tries again for ever where the cloud refuses; its words
// are shown while it does. What cannot be read is not known, and never counts as gone.
//
// Read scalesets.go (the adapter), template.go (what is applied), standing.go (what is read), and
// removal.go.
package scalesets
