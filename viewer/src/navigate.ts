/** The address bar as a state of the page. */
import { useEffect, useState } from "preact/hooks";
import { type Address, fromHash, toHash } from "./address";

const moved = new EventTarget();

/** Goes to an address; with `replace`, Back will not come back to this one. */
export function go(address: Address, { replace = false } = {}): void {
  const hash = toHash(address);
  if (hash === location.hash) return;
  if (!replace) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  moved.dispatchEvent(new Event("moved"));
}

export function useAddress(): Address {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const look = () => setHash(location.hash);
    addEventListener("hashchange", look);
    moved.addEventListener("moved", look);
    return () => {
      removeEventListener("hashchange", look);
      moved.removeEventListener("moved", look);
    };
  }, []);
  return fromHash(hash);
}
