/** Which rows of a long list are in sight: rows of one height, so that only those need to be drawn. */
import { useLayoutEffect, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** So many rows are drawn beyond what is in sight. */
const BEYOND = 8;

export interface Span {
  from: number;
  to: number;
}

/** 1,000 rows of 20 pixels, scrolled by 400 in a box of 100 -> rows 12 to 33 */
export function span(count: number, height: number, scrolled: number, box: number): Span {
  const from = Math.min(Math.max(Math.floor(scrolled / height) - BEYOND, 0), count);
  const to = Math.min(Math.ceil((scrolled + box) / height) + BEYOND, count);
  return { from, to: Math.max(to, from) };
}

/** The rows of a scrolled box that are to be drawn now. */
export function useSpan(box: RefObject<HTMLElement | null>, count: number, height: number): Span {
  const [view, setView] = useState({ scrolled: 0, size: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = () => {
      const [scrolled, size] = [element.scrollTop, element.clientHeight];
      setView((last) => (last.scrolled === scrolled && last.size === size ? last : { scrolled, size }));
    };
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box.current, count, height]);
  return span(count, height, view.scrolled, view.size);
}
