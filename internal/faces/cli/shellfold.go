package cli

// foldShell breaks a command into lines of at most width that a shell reads as one: between its
// words, with a backslash at the end of each line but the last. A word that is longer stays whole.
func foldShell(command string, width int) (lines []string) {
	const more = ` \`
	line := ""
	for i, words := 0, shellWords(command); i < len(words); i++ {
		longer, room := words[i], width
		if line != "" {
			longer = line + " " + words[i]
		}
		if i < len(words)-1 {
			room -= len(more)
		}
		if line != "" && columns(longer) > room {
			lines, longer = append(lines, line+more), words[i]
		}
		line = longer
	}
	return append(lines, line)
}

// shellWords are the words of a command as it is written, each with its quotes.
func shellWords(command string) (words []string) {
	from, quoted := 0, false
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			quoted = !quoted
		case c == '\\' && !quoted:
			i++ // what follows is no quote
		case c == ' ' && !quoted:
			words, from = append(words, command[from:i]), i+1
		}
	}
	return append(words, command[from:])
}
