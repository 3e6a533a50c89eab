// Package tofu builds clusters by OpenTofu or Terraform: the projects of a blueprint, one
// after the other, with the program that the machine has.
//
// Each project is planned, and the plan is judged: what would destroy more than is allowed
// waits for a person. That very plan is applied. Then the project is planned once more, and
// only an empty plan says that it is applied.
//
// A run is written down before it begins and is taken up again after a crash. State and lock
// of a project are kept by Muster (backend.go), so no two runs build at once.
//
// Read runner.go (the adapter), run.go (one run), project.go (one call of the program), then
// policy.go, backend.go and source.go.
package tofu
