package trace

// Racks lays servers in the racks that faults name, as numbers of the servers; none where the
// faults name none. Servers without a fault fill the racks up evenly. Should a rack have had no
// fault at all, the others come out larger than they are.
func Racks(faults []Fault, servers []string) (racks [][]int) {
	of := map[string]string{}
	for _, f := range faults {
		if f.Rack == "" {
			return nil
		}
		of[f.Server] = f.Rack
	}
	if len(of) == 0 {
		return nil
	}
	number, size, rest := map[string]int{}, 1, []int(nil)
	for i, server := range servers {
		rack, named := of[server]
		if !named {
			rest = append(rest, i)
			continue
		}
		k, known := number[rack]
		if !known {
			k = len(racks)
			number[rack], racks = k, append(racks, nil)
		}
		racks[k] = append(racks[k], i)
		size = max(size, len(racks[k]))
	}
	return fill(racks, rest, max(size, (len(servers)+len(racks)-1)/len(racks)))
}

// fill puts servers where racks have fewer than so many, and then into new racks.
func fill(racks [][]int, rest []int, size int) [][]int {
	at := 0
	for _, i := range rest {
		for at < len(racks) && len(racks[at]) >= size {
			at++
		}
		if at == len(racks) {
			racks = append(racks, nil)
		}
		racks[at] = append(racks[at], i)
	}
	return racks
}
