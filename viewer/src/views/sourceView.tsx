/** The program's source code, with the actual and the predicted line marked. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { cpp } from "@codemirror/lang-cpp";
import { java } from "@codemirror/lang-java";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { EditorState, type Extension, RangeSet, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker } from "@codemirror/view";
import { highlightSpecialChars, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { escapeCharacter, hiddenCharacters } from "../escape";

/** Line numbers from 1; null if the execution has ended, or the line is hallucinated. */
interface CurrentLines {
  actual: number | null;
  predicted: number | null;
}

const setCurrentLines = StateEffect.define<CurrentLines>();

const currentLines = StateField.define<CurrentLines>({
  create: () => ({ actual: null, predicted: null }),
  update: (lines, change) => change.effects.find((effect) => effect.is(setCurrentLines))?.value ?? lines,
});

class LineMark extends GutterMarker {
  constructor(readonly letters: string) {
    super();
  }
  override eq(other: LineMark) {
    return other.letters === this.letters;
  }
  override toDOM() {
    return document.createTextNode(this.letters);
  }
}

/** The marked lines in order: actual (A), predicted (P) or both (AP). */
function markedLines(state: EditorState): { from: number; letters: string }[] {
  const { actual, predicted } = state.field(currentLines);
  const exists = (line: number | null): line is number => line !== null && line >= 1 && line <= state.doc.lines;
  const lines = [...new Set([actual, predicted].filter(exists))].sort((a, b) => a - b);
  return lines.map((line) => ({
    from: state.doc.line(line).from,
    letters: (line === actual ? "A" : "") + (line === predicted ? "P" : ""),
  }));
}

function lineMarks(view: EditorView): RangeSet<GutterMarker> {
  const builder = new RangeSetBuilder<GutterMarker>();
  for (const line of markedLines(view.state)) builder.add(line.from, line.from, new LineMark(line.letters));
  return builder.finish();
}

const lineBackgrounds = EditorView.decorations.compute([currentLines], (state): DecorationSet => {
  return Decoration.set(
    markedLines(state).map((line) => Decoration.line({ class: `at-${line.letters}` }).range(line.from)),
  );
});

const syntaxColours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.definition(tags.variableName), fontWeight: "600" },
]);

function showHidden(code: number): HTMLElement {
  const element = document.createElement("span");
  element.className = "escape";
  element.textContent = escapeCharacter(String.fromCodePoint(code));
  return element;
}

const extensions = [
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ "aria-label": "Source code", "aria-readonly": "true", tabindex: "0" }),
  highlightSpecialChars({ specialChars: new RegExp(hiddenCharacters().source, "gu"), render: showHidden }),
  EditorState.tabSize.of(4),
  gutter({
    class: "line-marks",
    markers: lineMarks,
    initialSpacer: () => new LineMark("AP"),
    lineMarkerChange: () => true,
  }),
  lineNumbers(),
  syntaxHighlighting(syntaxColours),
  currentLines,
  lineBackgrounds,
];

/** Syntax highlighting by language; a language without is shown as plain text. */
const HIGHLIGHTING: Record<string, () => Extension> = {
  python,
  cpp,
  java,
  javascript,
  typescript: () => javascript({ typescript: true }),
};

interface Source {
  source: string;
  language: string;
}

export function SourceView({ source, language, actual, predicted }: Source & CurrentLines) {
  const container = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  useEffect(() => {
    if (!container.current) return;
    const highlighting = HIGHLIGHTING[language]?.() ?? [];
    const all = [...extensions, highlighting];
    const created = new EditorView({ doc: source, extensions: all, parent: container.current });
    view.current = created;
    return () => created.destroy();
  }, [source, language]);
  useEffect(() => {
    view.current?.dispatch({ effects: setCurrentLines.of({ actual, predicted }) });
    if (view.current) scrollToLine(view.current, actual ?? predicted);
  }, [source, language, actual, predicted]);
  return <div class="source-view" ref={container} />;
}

/** Scrolls within the source only; CodeMirror's own scrollIntoView would scroll the page too. */
function scrollToLine(view: EditorView, line: number | null): void {
  if (line === null || line < 1 || line > view.state.doc.lines) return;
  const block = view.lineBlockAt(view.state.doc.line(line).from);
  const box = view.scrollDOM;
  const isInView = block.top >= box.scrollTop && block.bottom <= box.scrollTop + box.clientHeight;
  if (!isInView) box.scrollTop = block.top - box.clientHeight / 2;
}
