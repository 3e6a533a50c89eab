package backtest

// Colour is what a kind of policy is drawn in.
func Colour(kind string) string { return colours[kind] }
