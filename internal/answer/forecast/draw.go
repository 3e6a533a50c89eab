package forecast

// draw spreads a thing's quantiles over the paths: every path takes another
// one of equal parts of the distribution (a Latin hypercube), and which path
// takes which differs from thing to thing. It is no randomness: the same thing
// gets the same quantile on the same path, always.
func draw(thing uint64, path, paths int) int64 {
	a, b := mix(thing)%uint64(paths), mix(thing+1<<63)%uint64(paths)
	for gcd(a, uint64(paths)) != 1 {
		a++
	}
	part := (a*uint64(path) + b) % uint64(paths)
	return int64((2*part + 1) * whole / (2 * uint64(paths)))
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// mix scatters a number over all 64 bits (Steele et al. 2014, SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
