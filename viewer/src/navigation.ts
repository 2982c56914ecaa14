/** The current route, kept in the URL's hash. */
import { useEffect, useState } from "preact/hooks";
import { fromHash, type Route, toHash } from "./route";

// The browser fires no event for history.replaceState.
const replaced = new EventTarget();

/** Go to a route; with `replace`, the browser's Back button skips the current one. */
export function navigate(route: Route, { replace = false } = {}): void {
  const hash = toHash(route);
  if (hash === location.hash) return;
  if (!replace) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  replaced.dispatchEvent(new Event("replaced"));
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    addEventListener("hashchange", update);
    replaced.addEventListener("replaced", update);
    return () => {
      removeEventListener("hashchange", update);
      replaced.removeEventListener("replaced", update);
    };
  }, []);
  return fromHash(hash);
}
