/** Height of the diverging step in the list of steps: as many lines as what it shows needs. */
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** Pixels of one line of a step. */
export const LINE_HEIGHT = 22;
/** Lines that the diverging step has at most. */
const MAX_LINES = 6;

/** The lines that the diverging step needs, measured when it is rendered and when the width changes. */
export function useLineCount(box: RefObject<HTMLElement | null>, divergenceStep: number | null): number {
  const [lines, setLines] = useState(1);
  const measure = () => {
    const cells = [...(box.current?.querySelectorAll<HTMLElement>(".step-row.diverged .step-cell") ?? [])];
    if (cells.length) setLines(Math.min(Math.max(...cells.map(lineCount)), MAX_LINES));
  };
  useLayoutEffect(measure);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return divergenceStep === null ? 1 : lines;
}

/** The number of lines of a cell's content, however high the cell is. */
function lineCount(cell: HTMLElement): number {
  const top = cell.getBoundingClientRect().top;
  const bottom = Math.max(top, ...[...cell.children].map((child) => child.getBoundingClientRect().bottom));
  return Math.max(Math.round((bottom - top) / LINE_HEIGHT), 1);
}
