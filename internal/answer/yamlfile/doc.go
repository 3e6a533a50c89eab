// Package yamlfile reads YAML files strictly, because a typing error in a quota
// file moves people's GPUs: fleet files, scenarios, tokens and lists of clusters.
//
// An unknown key, a wrong type or a name that is used twice is an Error: it names
// the file, the line, what is wrong and what would be right. All that is wrong with
// a file comes together (Errors). Size, entries and the number of errors are bounded.
//
//	value.go      Open, and the values of a document with their places
//	fields.go     mappings, their known keys, and the key that was probably meant
//	scalar.go     texts, names, paths, numbers, shares and lengths of time
//	duration.go   90s, 4h, 7d
//	syntax.go     what the YAML parser says, in the words of this package
//	error.go      Error, Errors
package yamlfile
