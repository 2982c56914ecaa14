/** Keys of the sample list: move the focus between rows, and to the search field. */
import type { RefObject } from "preact";
import { useShortcuts } from "./shortcuts";

/** Pixels of a row, and of one with two lines. */
export const [ROW_HEIGHT, TWO_LINE_HEIGHT] = [28, 50];
/** Rows of headings: those of groups of columns, and those of columns. */
export const HEADING_ROWS = 2;
/** The aria-rowindex of the first row, which counts from 1. */
export const FIRST_ROW = HEADING_ROWS + 1;
/** Frames in which a row is awaited that is not rendered yet. */
const MAX_FRAMES = 60;

/**
 * Makes j and ↓ focus the next row, k and ↑ the one before, and / the search field. Without a focused row, the keys
 * begin at the sample that was opened last.
 */
export function useRowKeys(box: RefObject<HTMLElement | null>, rowHeight: number, total: number, last: number): void {
  const move = (offset: number) => {
    const current = focusedRow(box.current);
    const index = current === null ? last : current + offset;
    if (box.current && total > 0) focusRow(box.current, rowHeight, Math.min(Math.max(index, 0), total - 1));
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    "/": () => document.querySelector<HTMLInputElement>('input[type="search"]')?.focus(),
  });
}

/** The index of the row with the focus; null if no row has it. */
function focusedRow(box: HTMLElement | null): number | null {
  const row = document.activeElement?.closest<HTMLElement>("tbody tr[aria-rowindex]");
  return row && box?.contains(row) ? Number(row.getAttribute("aria-rowindex")) - FIRST_ROW : null;
}

/** Scrolls to a row and focuses its link, when it is rendered. */
function focusRow(box: HTMLElement, rowHeight: number, index: number, frames = MAX_FRAMES): void {
  const head = box.querySelector("thead")?.clientHeight ?? 0;
  const top = index * rowHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  if (top + rowHeight + head > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowHeight + head - box.clientHeight;
  const link = box.querySelector<HTMLElement>(`tr[aria-rowindex="${index + FIRST_ROW}"] th a`);
  if (link) link.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusRow(box, rowHeight, index, frames - 1));
}
