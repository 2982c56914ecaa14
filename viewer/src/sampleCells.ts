/** Texts of the cells of the sample list. */
import type { Cell, Column } from "./api";
import { shorten } from "./escape";
import { columnLabel } from "./labels";
import { formatCount } from "./numberFormat";

/** Characters of a cell. */
export const MAX_CELL_CHARS = 200;
/** Characters of a value. */
export const MAX_VALUE_CHARS = 21;
/** Columns about the first divergence; they are adjacent, and have a common heading. */
export const DIVERGENCE_COLUMNS = new Set(["cause", "actual", "predicted", "where", "variable", "step", "kind"]);

/** Columns with values of programs; in a narrow window, they are the second line of a row. */
export const VALUE_COLUMNS = new Set(["actual", "predicted"]);

export function cellText(cell: Cell, column: Column): string {
  return typeof cell === "number" ? formatCount(cell) : shorten(columnLabel(column.name, cell ?? ""), MAX_CELL_CHARS);
}
