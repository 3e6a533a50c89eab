// Package chaos holds no code of Muster, only tests: fleets in which everything
// that can happen does, drawn from one seed that is printed and can be replayed.
//
// The model comes first. model_script_test.go writes scripts, and model_world_test.go drives a
// fleet by one and asks after every step whether what must hold does. model_driver_test.go
// stands in for clusters, and model_oracle_test.go says what fits. model_shrink_test.go makes
// a script that breaks a rule small.
//
// A world may have a house (model_house_test.go). Then the real engine serves it over a
// journal, with simulated clusters behind a bad line (model_line_test.go) and a process that
// dies at any moment. model_heal_test.go then repairs everything and asks whether the fleet
// comes to rest as it should.
//
// The properties follow. property_random_test.go plays random fleets, and
// property_house_test.go random houses. property_planned_test.go plays fleets under planned
// work, which model_planned_test.go writes. property_laws_test.go asks the laws of placement,
// and property_now_test.go whether what is said to start now starts.
// property_metamorphic_test.go changes stories in ways that must change nothing.
package chaos
