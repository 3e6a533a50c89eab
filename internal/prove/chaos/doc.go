// Package chaos holds no code of Muster, only tests: fleets in which everything
// that can happen does, drawn from one seed that is printed and can be replayed.
//
// The model comes first. model_world_test.go drives a fleet by a script and asks
// after every step whether what must hold does; model_script_test.go writes such
// scripts; model_driver_test.go and model_oracle_test.go stand in for clusters
// and say what fits; model_shrink_test.go makes a script that breaks a rule
// small. Where a world has a house (model_house_test.go), it is served by the
// real engine over a journal, with simulated clusters behind a bad line
// (model_line_test.go) and a process that dies at any moment;
// model_heal_test.go then repairs everything and asks whether the fleet comes
// to rest as it should.
//
// property_random_test.go plays random fleets, property_house_test.go random
// houses, property_planned_test.go fleets under planned work (model_planned_test.go
// writes it), property_laws_test.go asks the laws of placement, and
// property_metamorphic_test.go changes stories in ways that must change nothing.
package chaos
