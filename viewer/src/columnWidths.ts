/** Widths of the columns of the sample list. */
import { useRef } from "preact/hooks";
import type { Column } from "./api";
import { escapeHidden } from "./escape";
import type { PagedRows } from "./pagedRows";
import { cellText, MAX_VALUE_CHARS, VALUE_COLUMNS } from "./sampleCells";

/** Widths of columns in characters, and in pixels those of a character and of the cell's padding. */
const [MIN_WIDTH, MAX_WIDTH, MAX_ID_WIDTH] = [4, 44, 32];
/** A shortened value has … before and after it. */
const MAX_VALUE_WIDTH = MAX_VALUE_CHARS + 3;
const BADGE_COLUMNS = new Set(["verdict", "outcome"]);
/** Characters of a heading besides its title: the arrow of the order, and its space. */
const HEADING_CHARS = 4;
const [CHARACTER_WIDTH, CELL_PADDING, BADGE_PADDING] = [7.6, 20, 36];

/**
 * Widths of the shown columns in pixels, from the headings and the first rows; they stay the same while scrolling and
 * filtering.
 */
export function useWidths(all: Column[], columns: Column[], rows: PagedRows): number[] {
  const widths = useRef<number[] | null>(null);
  if (!widths.current || (widths.current.length === 0 && rows.total)) {
    const firstRows = Array.from({ length: Math.min(rows.total ?? 0, 100) }, (_, index) => rows.row(index) ?? []);
    const widthOf = (column: Column) => {
      const index = all.indexOf(column);
      const lengths = firstRows.map((row) => escapeHidden(cellText(row[index] ?? null, column)).length);
      const limit = index === 0 ? MAX_ID_WIDTH : VALUE_COLUMNS.has(column.name) ? MAX_VALUE_WIDTH : MAX_WIDTH;
      const padding = BADGE_COLUMNS.has(column.name) ? BADGE_PADDING : CELL_PADDING;
      return (
        Math.min(Math.max(column.title.length + HEADING_CHARS, MIN_WIDTH, ...lengths), limit) * CHARACTER_WIDTH +
        padding
      );
    };
    widths.current = firstRows.length ? columns.map(widthOf) : [];
  }
  return widths.current.length ? widths.current : columns.map((column) => (column.title.length + 8) * CHARACTER_WIDTH);
}
