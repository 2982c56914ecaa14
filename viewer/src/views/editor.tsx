/** The program's source, with the real and the imagined line marked. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { python } from "@codemirror/lang-python";
import { EditorState, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker } from "@codemirror/view";
import { highlightSpecialChars, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { escape, hidden } from "../visible";

/** Lines from 1; none where a lane has ended, or its line is made up. */
interface Lines {
  real: number | null;
  imagined: number | null;
}

const setLines = StateEffect.define<Lines>();

const current = StateField.define<Lines>({
  create: () => ({ real: null, imagined: null }),
  update: (lines, change) => change.effects.find((effect) => effect.is(setLines))?.value ?? lines,
});

class Letter extends GutterMarker {
  constructor(readonly letters: string) {
    super();
  }
  override eq(other: Letter) {
    return other.letters === this.letters;
  }
  override toDOM() {
    return document.createTextNode(this.letters);
  }
}

/** The marked lines in order: which one is real (R), imagined (I), or both. */
function marked(state: EditorState): { from: number; letters: string }[] {
  const { real, imagined } = state.field(current);
  const has = (line: number | null): line is number => line !== null && line >= 1 && line <= state.doc.lines;
  const lines = [...new Set([real, imagined].filter(has))].sort((a, b) => a - b);
  return lines.map((line) => ({
    from: state.doc.line(line).from,
    letters: (line === real ? "R" : "") + (line === imagined ? "I" : ""),
  }));
}

function letters(view: EditorView): RangeSet<GutterMarker> {
  const builder = new RangeSetBuilder<GutterMarker>();
  for (const line of marked(view.state)) builder.add(line.from, line.from, new Letter(line.letters));
  return builder.finish();
}

const tints = EditorView.decorations.compute([current], (state): DecorationSet => {
  return Decoration.set(marked(state).map((line) => Decoration.line({ class: `at-${line.letters}` }).range(line.from)));
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.definition(tags.variableName), fontWeight: "600" },
]);

function showHidden(code: number): HTMLElement {
  const shown = document.createElement("span");
  shown.className = "escape";
  shown.textContent = escape(String.fromCodePoint(code));
  return shown;
}

const extensions = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ "aria-label": "source", "aria-readonly": "true", tabindex: "0" }),
  highlightSpecialChars({ specialChars: new RegExp(hidden().source, "gu"), render: showHidden }),
  EditorState.tabSize.of(4),
  gutter({ class: "letters", markers: letters, initialSpacer: () => new Letter("RI"), lineMarkerChange: () => true }),
  lineNumbers(),
  python(),
  syntaxHighlighting(colours),
  current,
  tints,
];

export function Editor({ source, real, imagined }: { source: string } & Lines) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  useEffect(() => {
    if (!place.current) return;
    const made = new EditorView({ doc: source, extensions, parent: place.current });
    view.current = made;
    return () => made.destroy();
  }, [source]);
  useEffect(() => {
    view.current?.dispatch({ effects: setLines.of({ real, imagined }) });
    if (view.current) bringIntoSight(view.current, real ?? imagined);
  }, [source, real, imagined]);
  return <div class="editor" ref={place} />;
}

/** Scrolls within the source only: CodeMirror's own way would move the page too. */
function bringIntoSight(view: EditorView, line: number | null): void {
  if (line === null || line < 1 || line > view.state.doc.lines) return;
  const block = view.lineBlockAt(view.state.doc.line(line).from);
  const box = view.scrollDOM;
  const isInSight = block.top >= box.scrollTop && block.bottom <= box.scrollTop + box.clientHeight;
  if (!isInSight) box.scrollTop = block.top - box.clientHeight / 2;
}
