/** The program's source code: the actual and the predicted line are marked, and the line that led to the divergence. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { cpp, java } from "@codemirror/legacy-modes/mode/clike";
import { go } from "@codemirror/legacy-modes/mode/go";
import { rust } from "@codemirror/legacy-modes/mode/rust";
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
  /** The line whose execution led to the divergence. */
  cause: number | null;
}

const setCurrentLines = StateEffect.define<CurrentLines>();

const currentLines = StateField.define<CurrentLines>({
  create: () => ({ actual: null, predicted: null, cause: null }),
  update: (lines, change) => change.effects.find((effect) => effect.is(setCurrentLines))?.value ?? lines,
});

/** What the marks before the lines mean. */
const MARK_TITLES = {
  A: "the line of the actual step",
  P: "the line of the predicted step",
  "✗": "the line whose execution led to the divergence",
};
type LineMarkName = keyof typeof MARK_TITLES;

class LineMark extends GutterMarker {
  constructor(readonly marks: LineMarkName[]) {
    super();
  }
  override eq(other: LineMark) {
    return other.marks.join("") === this.marks.join("");
  }
  override toDOM() {
    const element = document.createElement("span");
    element.title = this.marks.map((mark) => `${mark}: ${MARK_TITLES[mark]}`).join("\n");
    for (const mark of this.marks) {
      const part = element.appendChild(document.createElement("span"));
      part.textContent = mark;
      if (mark === "✗") part.className = "cause-mark";
    }
    return element;
  }
}

interface MarkedLine {
  from: number;
  marks: LineMarkName[];
}

/** The marked lines in order: actual (A), predicted (P) or both (AP), and the one before the divergence (✗). */
function markedLines(state: EditorState): MarkedLine[] {
  const { actual, predicted, cause } = state.field(currentLines);
  const exists = (line: number | null): line is number => line !== null && line >= 1 && line <= state.doc.lines;
  const lines = [...new Set([actual, predicted, cause].filter(exists))].sort((a, b) => a - b);
  return lines.map((line) => {
    const at: Record<LineMarkName, number | null> = { A: actual, P: predicted, "✗": cause };
    const marks = (Object.keys(MARK_TITLES) as LineMarkName[]).filter((mark) => at[mark] === line);
    return { from: state.doc.line(line).from, marks };
  });
}

function lineMarks(view: EditorView): RangeSet<GutterMarker> {
  const builder = new RangeSetBuilder<GutterMarker>();
  for (const line of markedLines(view.state)) builder.add(line.from, line.from, new LineMark(line.marks));
  return builder.finish();
}

const lineBackgrounds = EditorView.decorations.compute([currentLines], (state): DecorationSet => {
  return Decoration.set(
    markedLines(state).map(({ from, marks }) => {
      const step = marks.filter((mark) => mark !== "✗").join("");
      const classes = [step && `at-${step}`, marks.includes("✗") && "at-cause"].filter(Boolean);
      return Decoration.line({ class: classes.join(" ") }).range(from);
    }),
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
    initialSpacer: () => new LineMark(["A", "P", "✗"]),
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
  javascript,
  typescript: () => javascript({ typescript: true }),
  cpp: () => StreamLanguage.define(cpp),
  java: () => StreamLanguage.define(java),
  rust: () => StreamLanguage.define(rust),
  go: () => StreamLanguage.define(go),
};

interface Source {
  source: string;
  language: string;
}

export function SourceView({ source, language, actual, predicted, cause }: Source & CurrentLines) {
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
    view.current?.dispatch({ effects: setCurrentLines.of({ actual, predicted, cause }) });
    if (view.current) scrollToLine(view.current, actual ?? predicted);
  }, [source, language, actual, predicted, cause]);
  return (
    <>
      <div class="source-view" ref={container} />
      <LineLegend actual={actual} predicted={predicted} cause={cause} />
    </>
  );
}

/** The marks that the lines have now, and what they mean. */
function LineLegend({ actual, predicted, cause }: CurrentLines) {
  const shown: [string, string][] =
    actual !== null && actual === predicted
      ? [["AP", "the line of this step, in both executions"]]
      : [
          ...(actual === null ? [] : [["A", MARK_TITLES.A] as [string, string]]),
          ...(predicted === null ? [] : [["P", MARK_TITLES.P] as [string, string]]),
        ];
  if (cause !== null) shown.push(["✗", MARK_TITLES["✗"]]);
  if (shown.length === 0) return null;
  return (
    <p class="mark-legend">
      {shown.map(([mark, text]) => (
        <span>
          <b class={mark === "✗" ? "cause-mark" : undefined}>{mark}</b> {text}
        </span>
      ))}
    </p>
  );
}

/** Scrolls within the source only; CodeMirror's own scrollIntoView would scroll the page too. */
function scrollToLine(view: EditorView, line: number | null): void {
  if (line === null || line < 1 || line > view.state.doc.lines) return;
  const block = view.lineBlockAt(view.state.doc.line(line).from);
  const box = view.scrollDOM;
  const isInView = block.top >= box.scrollTop && block.bottom <= box.scrollTop + box.clientHeight;
  if (!isInView) box.scrollTop = block.top - box.clientHeight / 2;
}
