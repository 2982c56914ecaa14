/** Whether a media query matches, such as "(max-width: 860px)"; updated when that changes. */
import { useEffect, useState } from "preact/hooks";

/** A window in which two columns have no room; style sheets use the same width. */
export const NARROW = "(max-width: 860px)";

export function useMediaQuery(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = () => setMatches(list.matches);
    update();
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return matches;
}
