/** Hook for data that is loaded asynchronously. */
import { useEffect, useState } from "preact/hooks";
import { errorMessage } from "./dataSource/errors";

export type AsyncState<T> =
  { status: "loading" } | { status: "ready"; value: T } | { status: "error"; message: string };

/** The result of `load`, which is called again whenever `key` changes, and a function to retry. */
export function useAsync<T>(key: string, load: () => Promise<T>): [AsyncState<T>, () => void] {
  const [attempt, setAttempt] = useState(0);
  const [current, setCurrent] = useState<{ key: string; state: AsyncState<T> }>({ key, state: { status: "loading" } });
  useEffect(() => {
    let isCurrent = true;
    const update = (state: AsyncState<T>) => isCurrent && setCurrent({ key, state });
    update({ status: "loading" });
    load().then(
      (value) => update({ status: "ready", value }),
      (error: unknown) => update({ status: "error", message: errorMessage(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, attempt]);
  return [current.key === key ? current.state : { status: "loading" }, () => setAttempt(attempt + 1)];
}
