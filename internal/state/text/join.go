package text

// Or names things as a choice: calibrated, binomial or inherit.
func Or[T ~string](list []T) string { return join(list, " or ") }

// And names things together: calibrated and binomial.
func And[T ~string](list []T) string { return join(list, " and ") }

func join[T ~string](list []T, last string) (text string) {
	for i, one := range list {
		switch {
		case i > 0 && i == len(list)-1:
			text += last
		case i > 0:
			text += ", "
		}
		text += string(one)
	}
	return text
}
