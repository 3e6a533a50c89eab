// Package reference is the pages that explain the others: the glossary, and the colours,
// signs and elements that pages are made of.
package reference
