// Command layout measures how the code is laid out, from the sources alone:
//
//	go run ./internal/prove/layout [-up ROOM] [ROOT]
//
// It prints what stands at the top of internal/, and imports that run against the floors.
// For each room it prints exported names, types with many fields, files that are too long or
// too short, and the arrows between files of the room that run upward. With -up it lists these arrows of one room, and what draws them. Tests, generated code and documentation files are left out.
//
// read.go parses a tree into rooms; measure.go counts; order.go finds the order
// of a room's files in which the fewest arrows run upward; print.go writes.
package main
