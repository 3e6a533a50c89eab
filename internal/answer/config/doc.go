// Package config reads and writes fleet files: the policy, the clusters and
// the quotas of a fleet in YAML, in the words of a scenario.
//
// It is strict, because a typing error in a quota file moves people's GPUs: an
// unknown key, a wrong type, a name used twice or half a node is an Error that
// names the file, the line, what is wrong and what would be right. As many of
// them as there are come together (Errors).
//
// Read it in this order: value.go, fields.go and scalar.go (how any YAML file
// of Muster is walked; scenario files use the same), file.go (what a fleet file
// holds), policy.go, clusters.go and quotas.go (how it is read), diff.go (which
// commands bring a fleet there) and write.go (the way back).
package config
