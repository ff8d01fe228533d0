package textmerge

const nobody = -1

// partners returns for each line of the base the index of its partner, or nobody. It takes the keys of the lines.
func partners(base, other []string) []int {
	most := pairCounts(base, other)
	found := make([]int, len(base))
	for i := range found {
		found[i] = nobody
	}
	i, j := 0, 0
	for i < len(base) && j < len(other) {
		switch {
		case base[i] == other[j]:
			found[i] = j
			i++
			j++
		case most[i+1][j] >= most[i][j+1]:
			i++
		default:
			j++
		}
	}
	return found
}

// pairCounts returns a table: the most pairs that lines from i and from j on can have, at [i][j].
func pairCounts(base, other []string) [][]int {
	most := make([][]int, len(base)+1)
	for i := range most {
		most[i] = make([]int, len(other)+1)
	}
	for i := len(base) - 1; i >= 0; i-- {
		for j := len(other) - 1; j >= 0; j-- {
			most[i][j] = most[i+1][j]
			if base[i] == other[j] {
				most[i][j] = most[i+1][j+1] + 1
			} else if most[i][j+1] > most[i][j] {
				most[i][j] = most[i][j+1]
			}
		}
	}
	return most
}
