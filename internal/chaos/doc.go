// Package chaos holds no code of Muster, only tests: fleets in which everything
// that can happen does, drawn from one seed that is printed and can be replayed.
//
// The model comes first. model_world_test.go drives a fleet by a script and asks
// after every step whether what must hold does; model_script_test.go writes such
// scripts; model_driver_test.go and model_oracle_test.go stand in for clusters
// and say what fits; model_shrink_test.go makes a script that breaks a rule
// small.
//
// property_random_test.go plays random fleets, property_laws_test.go asks
// the laws of placement, and property_metamorphic_test.go changes stories in ways that must change nothing.
package chaos
