package settings

// value is what stands for a setting while references are not followed yet: unknown, single, list or reference.
type value interface{}

// unknown is a value with an error in it.
type unknown struct{}

// single is a value that is neither a list nor a reference, as it is printed.
type single struct {
	printed string
}

type list struct {
	elements []value
}

type reference struct {
	path  path
	start int
}

// part is what stands behind one operator of a setting: a value and where it starts.
type part struct {
	value value
	start int
}

// referencesIn returns all references in a value, also in the lists in it.
func referencesIn(v value) []reference {
	switch v := v.(type) {
	case reference:
		return []reference{v}
	case list:
		var found []reference
		for _, element := range v.elements {
			found = append(found, referencesIn(element)...)
		}
		return found
	}
	return nil
}
