/** Keys of the page: what they do, and when they are left alone. */
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Key {
  /** As KeyboardEvent.key names it. */
  key: string;
  /** As people see it. */
  shown: string;
  does: string;
}

export const KEYS: Key[] = [
  { key: "ArrowRight", shown: "→", does: "one step on" },
  { key: "ArrowLeft", shown: "←", does: "one step back" },
  { key: "ArrowDown", shown: "↓", does: "step over: on, past what is called here" },
  { key: "ArrowUp", shown: "↑", does: "step out: on, to the caller" },
  { key: "d", shown: "d", does: "to the divergence" },
  { key: "[", shown: "[", does: "the sample before" },
  { key: "]", shown: "]", does: "the sample after" },
  { key: "?", shown: "?", does: "this help" },
  { key: "Escape", shown: "Esc", does: "close this help" },
];

/** Whether the keys pressed there are someone's typing. The slider is no field: its arrows are ours. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== "range";
  return target.isContentEditable || target.matches("textarea, select");
}

/** Calls what a key is for, from anywhere in the page but a field or an open dialog. */
export function useKeys(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isField(event.target) || document.querySelector("dialog[open]")) return;
      const action = current.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
