/** Keyboard shortcuts of the page. */
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Shortcut {
  /** The value of KeyboardEvent.key. */
  key: string;
  /** The key as shown in the help. */
  symbol: string;
  description: string;
}

export const SHORTCUTS: Shortcut[] = [
  { key: "ArrowRight", symbol: "→", description: "Next step" },
  { key: "ArrowLeft", symbol: "←", description: "Previous step" },
  { key: "ArrowDown", symbol: "↓", description: "Step over: next step outside of calls made here" },
  { key: "ArrowUp", symbol: "↑", description: "Step out: next step in the caller" },
  { key: "d", symbol: "d", description: "Go to the divergence" },
  { key: "j", symbol: "j k", description: "Samples: next and previous row; Enter opens it" },
  { key: "/", symbol: "/", description: "Samples: search" },
  { key: "u", symbol: "u", description: "Back to the samples" },
  { key: "[", symbol: "[", description: "Previous sample" },
  { key: "]", symbol: "]", description: "Next sample" },
  { key: "?", symbol: "?", description: "Show this help" },
  { key: "Escape", symbol: "Esc", description: "Close this help" },
];

/** Whether the element uses the keys itself. The step slider does not: its arrow keys are shortcuts. */
function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== "range";
  return target.isContentEditable || target.matches("textarea, select");
}

/** Calls the action of a key pressed anywhere in the page except in a field or an open dialog. */
export function useShortcuts(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isField(event.target) || document.querySelector("dialog[open]")) return;
      const action = current.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
