// Package parts is what pages are composed of: figures with their meaning, glossary
// terms, pictures, legends, commands (parts.templ), and how moments, lengths of time
// and names are written (format.go). It knows addresses through Links only.
package parts
