/** A sample as a picture: an SVG with the diagnosis and the steps around the divergence. */
import type { Divergence, Execution, SampleDocument } from "./api";
import { type DiffChunk } from "./diff";
import { dotSpaces, escapeHidden, type Marks, rangeAround, shorten, shortenAround, sliceText } from "./escape";
import { causeLabel, label } from "./labels";
import { compareSides, spaceMarks } from "./valueSpaces";

/** Colours of the picture, as CSS colours. */
export interface PictureColours {
  back: string;
  panel: string;
  text: string;
  muted: string;
  line: string;
  accent: string;
  good: string;
  wrong: string;
  wrongBack: string;
}

/** A piece of a line of text. */
interface Span {
  text: string;
  colour?: string;
  isBold?: boolean;
  isUnderlined?: boolean;
}

const WIDTH = 960;
const MARGIN = 24;
const LINE = 20;
/** Width of a character in pixels: of the text, and of source code and values. */
const [TEXT_WIDTH, CODE_WIDTH] = [7.1, 7.3];
const CODE_FONT = "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const TEXT_FONT = "Inter, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', system-ui, sans-serif";
/** The column of the actual steps begins here, behind numbers and marks. */
const LANE_START = MARGIN + 56;
const LANE_WIDTH = (WIDTH - MARGIN - LANE_START) / 2;
const LANE_CHARS = Math.floor((LANE_WIDTH - 8) / CODE_WIDTH);
/** Characters of the name before a value. */
const NAME_CHARS = 11;
/** Stands where the other value has more characters. */
const MISSING = "‸";
const MAX_LINES = 3;
const [STEPS_BEFORE, STEPS_AFTER] = [2, 2];

/** The SVG of a sample; every text of the sample is escaped. `made`: the text of the last line. */
export function toSvg(sample: SampleDocument, colours: PictureColours, made: string): string {
  const parts: string[] = [];
  let y = MARGIN + 16;
  const line = (spans: Span[], { x = MARGIN, size = 13, isCode = false } = {}) => {
    parts.push(textElement(spans, { x, y, size, font: isCode ? CODE_FONT : TEXT_FONT, colour: colours.text }));
    y += LINE;
  };
  const { divergence, cause } = sample;
  line([{ text: shorten(sample.id, 80), isBold: true }], { size: 17 });
  y += 4;
  const hasSpaces =
    divergence !== null && compareSides(divergence.where, divergence.actual, divergence.predicted).marks === "spaces";
  const summaryMarks = hasSpaces ? "quoted" : "sentence";
  const summaryWidth = Math.floor((WIDTH - 2 * MARGIN) / TEXT_WIDTH);
  for (const text of wrap(sample.summary, summaryWidth, summaryMarks)) line([{ text }]);
  if (divergence) {
    const place = [label(divergence.where), divergence.variable ?? ""].join(" ").trim();
    const why = cause === null ? "" : ` · ${causeLabel(cause)}`;
    line([{ text: `Divergence at step ${divergence.step}: ${place}${why}`, colour: colours.muted }]);
    y += 4;
    for (const spans of valueSpans(divergence, colours)) line(spans, { isCode: true });
  }
  y += 4;
  y = addSteps(parts, sample, colours, y);
  line([{ text: made, colour: colours.muted }], { size: 11 });
  const height = y - LINE + MARGIN;
  const frame = `<rect width="${WIDTH}" height="${height}" rx="8" fill="${colours.back}" stroke="${colours.line}"/>`;
  const title = `<title>${escapeXml(shorten(`${sample.id}: ${sample.summary}`, 160))}</title>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">` +
    `${title}${frame}${parts.join("")}</svg>`
  );
}

/** A line for each value, the actual one first as on the page: its name, and the value with the difference marked. */
function valueSpans(divergence: Divergence, colours: PictureColours): Span[][] {
  const length = Math.floor((WIDTH - 2 * MARGIN) / CODE_WIDTH) - NAME_CHARS - 2;
  const [actual, predicted] = [escapeHidden(divergence.actual), escapeHidden(divergence.predicted)];
  const { chunks, marks } = compareSides(divergence.where, actual, predicted);
  return (["Actual", "Predicted"] as const).map((name) => {
    const [value, other] = name === "Actual" ? [actual, predicted] : [predicted, actual];
    const [start, end] = rangeAround(value, other, length);
    if (value === "") return [{ text: `${name.padEnd(NAME_CHARS)}nothing`, colour: colours.muted }];
    return [
      { text: name.padEnd(NAME_CHARS) + (start > 0 ? "…" : ""), colour: colours.muted },
      ...chunkSpans(chunks, name === "Actual" ? "actual" : "predicted", [start, end], marks, colours),
      { text: end < value.length ? "…" : "", colour: colours.muted },
    ];
  });
}

/** The part of one side of a difference in a range; what is missing there has a mark. */
function chunkSpans(
  chunks: DiffChunk<string>[],
  side: "actual" | "predicted",
  [start, end]: [number, number],
  marks: Marks,
  colours: PictureColours,
): Span[] {
  let position = 0;
  const colour = side === "actual" ? colours.good : colours.wrong;
  return chunks.flatMap((chunk): Span[] => {
    const [from, text] = [position, chunk[side]];
    position += text.length;
    if (!chunk.isSame && text === "")
      return from >= start && from <= end ? [{ text: MISSING, colour, isBold: true }] : [];
    const shown = sliceText(text, Math.max(0, start - from), Math.max(0, end - from));
    if (shown === "") return [];
    if (chunk.isSame) return [{ text: dotSpaces(shown, marks) }];
    return [{ text: dotSpaces(shown, marks === "spaces" ? marks : "value"), colour, isBold: true, isUnderlined: true }];
  });
}

/** Adds the steps around the divergence, or the last ones; returns the position below them. */
function addSteps(parts: string[], sample: SampleDocument, colours: PictureColours, top: number): number {
  const length = Math.max(sample.actual.steps.length, sample.predicted.steps.length);
  if (length === 0) return top;
  const middle = Math.min(sample.divergence?.step ?? length - 1, length - 1);
  const from = Math.max(0, middle - STEPS_BEFORE);
  const to = Math.min(length, middle + STEPS_AFTER + 1);
  const lanes = [LANE_START, LANE_START + LANE_WIDTH];
  const height = (to - from + 1) * LINE + 8;
  parts.push(`<rect x="${MARGIN}" y="${top - 15}" width="${WIDTH - 2 * MARGIN}" height="${height}" rx="6"`);
  parts.push(` fill="${colours.panel}" stroke="${colours.line}"/>`);
  let y = top;
  const cell = (x: number, spans: Span[]) =>
    parts.push(textElement(spans, { x, y, size: 12, font: CODE_FONT, colour: colours.text }));
  ["Actual", "Predicted"].forEach((text, lane) => cell(lanes[lane] ?? 0, [{ text, colour: colours.muted }]));
  for (let index = from; index < to; index++) {
    y += LINE;
    const isDivergence = index === sample.divergence?.step;
    if (isDivergence)
      parts.push(
        `<rect x="${MARGIN + 1}" y="${y - 14}" width="${WIDTH - 2 * MARGIN - 2}" height="${LINE}" ` +
          `fill="${colours.wrongBack}"/>`,
      );
    cell(MARGIN + 8, [{ text: String(index), colour: colours.muted }]);
    if (isDivergence) cell(LANE_START - 16, [{ text: "✗", colour: colours.wrong, isBold: true }]);
    cell(lanes[0] ?? 0, stepSpans(sample, sample.actual, index, "predicted", colours));
    cell(lanes[1] ?? 0, stepSpans(sample, sample.predicted, index, "actual", colours));
  }
  return top + height + 12;
}

/** The line of a step and what it changes; at the divergence, the value that differs. */
function stepSpans(
  sample: SampleDocument,
  execution: Execution,
  index: number,
  other: "actual" | "predicted",
  colours: PictureColours,
): Span[] {
  const step = execution.steps[index];
  if (!step || step.is_gap) return [{ text: step ? "no such step" : "", colour: colours.muted }];
  const difference = index === sample.divergence?.step ? sample.divergence : null;
  const name = difference?.variable ?? null;
  if (difference && (name !== null || difference.where === "return")) {
    const [value, otherValue] = [difference[other === "actual" ? "predicted" : "actual"], difference[other]];
    const start = name === null ? "= " : `${shorten(name, 12)}=`;
    const code = shorten(escapeHidden(step.text.trim()), 20);
    const room = LANE_CHARS - code.length - start.length - 4;
    const shortened = shortenAround(escapeHidden(value), escapeHidden(otherValue), room);
    const shown = dotSpaces(shortened, spaceMarks(value, otherValue));
    const colour = other === "actual" ? colours.wrong : colours.good;
    return [{ text: code + "  " }, { text: start + shown, colour, isBold: true }];
  }
  const changes = step.changed.map((each) => `${each}=${step.set[each] ?? "…"}`);
  if (step.value !== null) changes.push(`= ${step.value}`);
  const code = shorten(escapeHidden(step.text.trim()), LANE_CHARS - 1);
  const room = LANE_CHARS - code.length - 3;
  const change = room > 6 && changes.length ? "  " + shorten(escapeHidden(changes.join(" ")), room) : "";
  return [{ text: code }, { text: change, colour: colours.accent }];
}

/** Lines of at most `width` characters, broken at spaces; the last one is shortened. */
function wrap(text: string, width: number, marks: Marks): string[] {
  const lines: string[] = [];
  let rest = dotSpaces(text, marks);
  while (rest !== "" && lines.length < MAX_LINES) {
    const isLast = lines.length === MAX_LINES - 1;
    const space = rest.lastIndexOf(" ", width);
    const end = rest.length <= width ? rest.length : space > width / 2 ? space : width;
    lines.push(isLast ? shorten(rest, width) : rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return lines;
}

interface TextStyle {
  x: number;
  y: number;
  size: number;
  font: string;
  colour: string;
}

function textElement(spans: Span[], { x, y, size, font, colour }: TextStyle): string {
  const content = spans.map((span) => {
    const bold = span.isBold ? ' font-weight="600"' : "";
    const underlined = span.isUnderlined ? ' text-decoration="underline"' : "";
    return `<tspan fill="${span.colour ?? colour}"${bold}${underlined}>${escapeXml(escapeHidden(span.text))}</tspan>`;
  });
  return `<text x="${x}" y="${y}" font-family="${font}" font-size="${size}" xml:space="preserve">${content.join("")}</text>`;
}

/** Text of an XML document; characters that XML does not allow are escaped as Python does. */
export function escapeXml(text: string): string {
  return escapeHidden(text)
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
