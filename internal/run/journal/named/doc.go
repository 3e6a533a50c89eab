// Package named opens a journal by the name that people give it: the data folder that it
// lies in, its file, or the address of its database. So each command that reads or writes
// a journal takes the same names.
package named
