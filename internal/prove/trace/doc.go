// Package trace reads records of what real fleets did: job traces (jobs.go) and
// faults of servers (faults.go), as CSV or gzipped CSV.
//
// Columns are found by the names in the header, so files may have more of them
// and in any order (table.go). A file is read whole or refused: what is wrong is
// an Error that names the file and the line, what stands there, and what would
// be right. A job's shape (Shape) is how its number of GPUs becomes replicas.
package trace
