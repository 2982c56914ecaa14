/** Something that is on its way: not there yet, there, or a sentence why not. */
import { useEffect, useState } from "preact/hooks";
import { sentence } from "./source/problem";

export type Loaded<T> = { is: "loading" } | { is: "ready"; value: T } | { is: "failed"; why: string };

/** What `load` gives, asked for again whenever `key` changes; and a way to try again. */
export function useLoaded<T>(key: string, load: () => Promise<T>): [Loaded<T>, () => void] {
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<{ key: string; loaded: Loaded<T> }>({ key, loaded: { is: "loading" } });
  useEffect(() => {
    let isWanted = true;
    const tell = (loaded: Loaded<T>) => isWanted && setState({ key, loaded });
    tell({ is: "loading" });
    load().then(
      (value) => tell({ is: "ready", value }),
      (error: unknown) => tell({ is: "failed", why: sentence(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [key, tries]);
  return [state.key === key ? state.loaded : { is: "loading" }, () => setTries(tries + 1)];
}
