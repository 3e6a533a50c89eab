package buffer

// kinds are the forecasts by the names that policies have for them. A new one
// has its row here; the other steps are in CONTRIBUTING.md.
var kinds = []struct {
	name string
	make func(Claim, Prior) Forecast
}{
	{"binomial", NewBinomial},
	{"calibrated", NewCalibrated},
}

// Kinds lists the kinds of policies that forecast.
func Kinds() (list []string) {
	for _, k := range kinds {
		list = append(list, k.name)
	}
	return list
}

// New makes the forecast of a kind of policy. It panics if there is no such kind: a
// policy is checked before it is in force.
func New(kind string, c Claim, p Prior) Forecast {
	for _, k := range kinds {
		if k.name == kind {
			return k.make(c, p)
		}
	}
	panic("buffer: there is no forecast for policies of kind " + kind)
}
