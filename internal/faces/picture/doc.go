// Package picture turns answers of the API into drawings, for pages and for the
// command line alike: the same figures make the same picture. It also knows what
// the words on them mean (words.go). It decides nothing and asks nothing; the
// shapes are package draw's.
package picture
