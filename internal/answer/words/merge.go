package words

import "fmt"

// Merge tells runs of the same sentence once, with how often: "oak/a grows (3 times)".
func Merge(sentences []string) (merged []string) {
	for i := 0; i < len(sentences); {
		n := 1
		for i+n < len(sentences) && sentences[i+n] == sentences[i] {
			n++
		}
		one := sentences[i]
		if n > 1 {
			one = fmt.Sprintf("%s (%d times)", one, n)
		}
		merged = append(merged, one)
		i += n
	}
	return merged
}
