// Package run is the page "Can I run?": what could start now in each quota and on flex,
// and where and when a shape that the reader describes would run.
package run
