/** Virtual list: of many rows of equal height, only those in view are rendered. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** Rows rendered before and after those in view. */
const OVERSCAN = 8;

export interface RowRange {
  from: number;
  to: number;
}

/** 1,000 rows of 20 pixels, scrolled by 400 in a box of 100 -> rows 12 to 33 */
export function visibleRange(count: number, rowHeight: number, scrollTop: number, boxHeight: number): RowRange {
  const from = Math.min(Math.max(Math.floor(scrollTop / rowHeight) - OVERSCAN, 0), count);
  const to = Math.min(Math.ceil((scrollTop + boxHeight) / rowHeight) + OVERSCAN, count);
  return { from, to: Math.max(to, from) };
}

/** The rows of a scrolling box to render now. */
export function useVisibleRange(box: RefObject<HTMLElement | null>, count: number, rowHeight: number): RowRange {
  const [view, setView] = useState({ scrollTop: 0, boxHeight: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const update = () => {
      const [scrollTop, boxHeight] = [element.scrollTop, element.clientHeight];
      setView((last) =>
        last.scrollTop === scrollTop && last.boxHeight === boxHeight ? last : { scrollTop, boxHeight },
      );
    };
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [box.current, count, rowHeight]);
  return visibleRange(count, rowHeight, view.scrollTop, view.boxHeight);
}
