package forecast

// Book keeps forecasts until it is known what came of them, and how far they were off.
type Book struct{}
