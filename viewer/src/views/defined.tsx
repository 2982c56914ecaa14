/** Words with a definition, which is shown on hover, on keyboard focus and on touch. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { definitionOf, shownDefinition, type Term } from "../glossary";

/** Milliseconds for which the mouse rests on a word before its definition is shown. */
const HOVER_DELAY = 250;
/** Pixels between a word, its definition and the edges of the window. */
const GAP = 6;
const TIP_ID = "definition";

/** A word that can be focused and has a definition; plain text if there is none. */
export function Defined({ term, children }: { term: Term | undefined; children: ComponentChildren }) {
  if (term === undefined || definitionOf(term) === null) return <>{children}</>;
  return (
    <span class="defined" data-term={term} tabIndex={0}>
      {children}
    </span>
  );
}

/** The definition of the word that is pointed at or focused: any element with `data-term`. */
export function DefinitionTip() {
  // A new object for the same word places its definition again.
  const [shown, setShown] = useState<{ word: HTMLElement | null }>({ word: null });
  const tip = useRef<HTMLDivElement>(null);
  const text = shown.word && shownDefinition(shown.word.dataset["term"] ?? "");
  useEffect(() => listen((word) => setShown({ word })), []);
  useLayoutEffect(() => {
    const { word } = shown;
    if (!word || !tip.current) return;
    place(tip.current, word.getBoundingClientRect());
    word.setAttribute("aria-describedby", TIP_ID);
    return () => word.removeAttribute("aria-describedby");
  }, [shown]);
  if (!text) return null;
  return (
    <div id={TIP_ID} class="definition" role="tooltip" ref={tip}>
      {text.charAt(0).toUpperCase() + text.slice(1)}
    </div>
  );
}

/** Calls `show` with the word whose definition is wanted, or null; returns a function that ends this. */
function listen(show: (element: HTMLElement | null) => void): () => void {
  let timer = 0;
  let hovered: HTMLElement | null = null;
  let pointer: [x: number, y: number] | null = null;
  const showNow = (element: HTMLElement | null) => {
    clearTimeout(timer);
    show(element);
  };
  const onMove = (event: PointerEvent) => {
    if (event.pointerType !== "mouse") return;
    if (event.target instanceof Element && event.target.closest(`#${TIP_ID}`)) return;
    pointer = [event.clientX, event.clientY];
    hover(wordAt(...pointer));
  };
  const hover = (element: HTMLElement | null) => {
    if (element === hovered) return;
    hovered = element;
    clearTimeout(timer);
    if (element) timer = window.setTimeout(() => show(element), HOVER_DELAY);
    else show(null);
  };
  const showFocused = () => {
    const target = document.activeElement;
    const element = target?.matches(":focus-visible") ? wordOf(target) : null;
    showNow(element);
    return element !== null;
  };
  // Another word can be below the mouse then.
  const onScroll = () => {
    if (showFocused() || !pointer) return;
    hovered = null;
    hover(wordAt(...pointer));
  };
  const onClick = (event: MouseEvent) => {
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    showNow(isTouch && event.target instanceof Element ? wordOf(event.target) : null);
  };
  const onKey = (event: KeyboardEvent) => event.key === "Escape" && showNow(null);
  const hide = () => showNow(null);
  const listeners = [
    ["pointermove", onMove],
    ["focusin", showFocused],
    ["focusout", hide],
    ["click", onClick],
    ["keydown", onKey],
    ["scroll", onScroll],
    ["hashchange", hide],
  ] as [string, EventListener][];
  for (const [name, listener] of listeners) addEventListener(name, listener, { capture: true });
  return () => {
    clearTimeout(timer);
    for (const [name, listener] of listeners) removeEventListener(name, listener, { capture: true });
  };
}

function wordOf(element: Element | null | undefined): HTMLElement | null {
  const word = element?.closest<HTMLElement>("[data-term]") ?? null;
  return word && definitionOf(word.dataset["term"] ?? "") !== null ? word : null;
}

/** The word at a position; the link of a table row lies above the words of the row. */
function wordAt(x: number, y: number): HTMLElement | null {
  const [top, ...below] = document.elementsFromPoint(x, y);
  const row = top?.closest(".rows tbody tr");
  return wordOf(top) ?? wordOf(below.find((element) => row?.contains(element) && wordOf(element)));
}

/** Places the definition below the word, or above it if there is no room, within the window. */
function place(tip: HTMLElement, word: DOMRect): void {
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.max(GAP, Math.min(word.left, innerWidth - width - GAP));
  const isBelow = word.bottom + GAP + height <= innerHeight;
  const top = isBelow ? word.bottom + GAP : Math.max(GAP, word.top - GAP - height);
  Object.assign(tip.style, { left: `${left}px`, top: `${top}px` });
}
