/** Hook for Python in the page's frame: its status, and functions to ask and to stop it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { PythonFrame, type Status } from "./pythonFrame";

interface Python {
  status: Status;
  /** Why it failed. */
  detail: string;
  ask: PythonFrame["ask"];
  stop: () => void;
}

export function usePython(frame: HTMLIFrameElement): Python {
  const [state, setState] = useState<{ status: Status; detail: string }>({ status: "loading", detail: "" });
  const python = useRef<PythonFrame | null>(null);
  python.current ??= new PythonFrame(frame, (status, detail) => setState({ status, detail }));
  useEffect(() => void python.current?.load(), []);
  const current = python.current;
  return { ...state, ask: (request, options) => current.ask(request, options), stop: () => current.stop() };
}
