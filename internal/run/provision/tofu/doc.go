// Package tofu builds clusters by OpenTofu or Terraform: the projects of a blueprint, one
// after the other, with the program that the machine has.
//
// Of each project it makes a plan, refuses what would destroy more than is allowed until a
// person has let it go on, applies that very plan, and plans once more: only an empty plan
// says that the project is applied. A run is written down before it begins and is taken up
// again after a crash; state and lock of a project are kept by Muster (backend.go), so that
// what is built is known, and never built by two at once.
//
// Read runner.go (the adapter), run.go (one run), project.go (one call of the program), then
// policy.go, backend.go and source.go.
package tofu
