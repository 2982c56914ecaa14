/** Keys of the sample list: move the focus between rows, and to the search field. */
import type { RefObject } from "preact";
import { useShortcuts } from "./shortcuts";

/** Pixels of a row. */
export const ROW_HEIGHT = 28;
/** Frames in which a row is awaited that is not rendered yet. */
const MAX_FRAMES = 60;

/**
 * Makes j and ↓ focus the next row, k and ↑ the one before, and / the search field. Without a focused row, the keys
 * begin at the sample that was opened last.
 */
export function useRowKeys(box: RefObject<HTMLElement | null>, total: number, last: number): void {
  const move = (offset: number) => {
    const current = focusedRow(box.current);
    const index = current === null ? last : current + offset;
    if (box.current && total > 0) focusRow(box.current, Math.min(Math.max(index, 0), total - 1));
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
  return row && box?.contains(row) ? Number(row.getAttribute("aria-rowindex")) - 2 : null;
}

/** Scrolls to a row and focuses its link, when it is rendered. */
function focusRow(box: HTMLElement, index: number, frames = MAX_FRAMES): void {
  const head = box.querySelector("thead")?.clientHeight ?? 0;
  const top = index * ROW_HEIGHT;
  if (top < box.scrollTop) box.scrollTop = top;
  if (top + ROW_HEIGHT + head > box.scrollTop + box.clientHeight)
    box.scrollTop = top + ROW_HEIGHT + head - box.clientHeight;
  const link = box.querySelector<HTMLElement>(`tr[aria-rowindex="${index + 2}"] th a`);
  if (link) link.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusRow(box, index, frames - 1));
}
