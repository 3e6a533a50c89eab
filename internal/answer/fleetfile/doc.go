// Package fleetfile reads and writes fleet files: the policy, the clusters and
// the quotas of a fleet in YAML, in the words of a scenario. It reads as strictly as
// package yamlfile does.
//
// Read it in this order: file.go (what a fleet file holds), then policy.go, health.go,
// clusters.go and quotas.go (how it is read). diff.go says which commands bring a fleet
// there, text.go what each of them changes, for people. write.go and health_write.go are
// the way back, by which tests compare: no command writes a file.
package fleetfile
