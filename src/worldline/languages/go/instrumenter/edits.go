package main

import (
	"sort"
	"strings"
)

// edit replaces a part of the source. All of them together leave the lines as they are.
type edit struct {
	start int
	end   int
	text  string
	// Of edits at the same place, those with a smaller order are first.
	order int
}

type edits []edit

// insert adds a text. Texts at the same place have the order in which they are added.
func (list *edits) insert(offset int, text string) {
	*list = append(*list, edit{offset, offset, text, len(*list)})
}

// insertOuter adds a text after those that are at the same place; later ones after earlier ones.
func (list *edits) insertOuter(offset int, text string) {
	*list = append(*list, edit{offset, offset, text, len(*list) + 1<<30})
}

// insertBefore adds a text before those that are at the same place.
func (list *edits) insertBefore(offset int, text string) {
	*list = append(*list, edit{offset, offset, text, -len(*list) - 1})
}

func (list *edits) replace(start, end int, text string) {
	*list = append(*list, edit{start, end, text, len(*list)})
}

// apply gives the edited source.
func (list edits) apply(source string) string {
	sort.SliceStable(list, func(left, right int) bool {
		if list[left].start != list[right].start {
			return list[left].start < list[right].start
		}
		return list[left].order < list[right].order
	})
	var out strings.Builder
	position := 0
	for _, each := range list {
		if each.start < position {
			continue
		}
		out.WriteString(source[position:each.start])
		out.WriteString(each.text)
		// The lines of what is replaced stay.
		out.WriteString(strings.Repeat("\n", strings.Count(source[each.start:each.end], "\n")))
		position = each.end
	}
	out.WriteString(source[position:])
	return out.String()
}
