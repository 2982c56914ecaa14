/** The steps of the actual and the predicted execution side by side. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Execution, SampleDocument, StepNll } from "../api";
import { escapeHidden, type Marks, shorten, shortenAround } from "../escape";
import type { Lanes } from "../lanes";
import { LINE_HEIGHT, useLineCount } from "../lineCount";
import type { Timeline } from "../timeline";
import { NARROW, useMediaQuery } from "../useMediaQuery";
import { spaceMarks } from "../valueSpaces";
import { useVisibleRange } from "../virtualList";
import { Defined } from "./defined";
import { Text } from "./text";
import { LaneCell, laneColumn } from "./threadLanes";

const MAX_CHANGES = 6;
const MAX_VALUE_CHARS = 80;
const MAX_TITLE_CHARS = 1_000;
const EVENTS = {
  call: ["→", "Call"],
  return: ["←", "Return"],
  exception: ["!", "Exception"],
  line: ["", ""],
} as const;
const MARK_TITLES = {
  "": "",
  "✗": "First divergence",
  "=": "Matches the actual step again",
  "≠": "Differs from the actual step",
  "−": "Skipped by the prediction",
  "+": "Inserted by the prediction",
};
const ASSUMED_TITLE = "Assumed: the line has a call that was not executed; a model provided its value";
const NLL_TITLE =
  "Negative log-likelihood in nats: action above, state below; hatched if it is not the model's first choice";

/** The mark of a step: nothing before the divergence, ✗ at it, − or + in a gap, and = or ≠ after it. */
export function stepMark(sample: SampleDocument, step: number): keyof typeof MARK_TITLES {
  if (!sample.divergence || step < sample.divergence.step) return "";
  if (step === sample.divergence.step) return "✗";
  if (sample.predicted.steps[step]?.is_gap) return "−";
  if (sample.actual.steps[step]?.is_gap) return "+";
  return sample.matches_after_divergence[step - sample.divergence.step] ? "=" : "≠";
}

interface Props {
  sample: SampleDocument;
  actual: Timeline;
  predicted: Timeline;
  step: number;
  length: number;
  /** The threads of the actual execution; null if it has one. */
  lanes: Lanes | null;
  /** Whether steps were predicted; else the actual ones have the whole width. */
  hasPredicted: boolean;
  choose: (step: number) => void;
}

export function TimelineView({ sample, actual, predicted, step, length, lanes, hasPredicted, choose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const isNarrow = useMediaQuery(NARROW);
  // In a narrow window, the two executions are below each other.
  const hasTwoLines = isNarrow && hasPredicted;
  const rowHeight = hasTwoLines ? 2 * LINE_HEIGHT + 4 : LINE_HEIGHT;
  const divergenceStep = sample.divergence?.step ?? null;
  const lines = useLineCount(box, divergenceStep);
  const extra = (lines - 1) * LINE_HEIGHT * (hasTwoLines ? 2 : 1);
  const top = (index: number) => index * rowHeight + (divergenceStep !== null && index > divergenceStep ? extra : 0);
  // The rows that are rendered out of view are more than the higher row takes.
  const { from, to } = useVisibleRange(box, length, rowHeight);
  useEffect(() => {
    if (box.current) scrollToStep(box.current, top(step), top(step + 1) - top(step));
  }, [step, rowHeight, extra]);
  const maxNll = useMemo(() => largestNll(sample.nll), [sample]);
  const others = useMemo(
    () => ({ actual: otherValues(sample, "actual"), predicted: otherValues(sample, "predicted") }),
    [sample],
  );
  const hasAssumed = useMemo(() => sample.actual.steps.some(({ assumed }) => assumed !== undefined), [sample]);
  const visibleSteps = Array.from({ length: to - from }, (_, index) => from + index);
  const isVisible = step >= from && step < to;
  const column = lanes && laneColumn(lanes, isNarrow);
  const layout = [
    "timeline-box",
    maxNll !== null && "with-nll",
    column && "with-lanes",
    !hasPredicted && "only-actual",
  ];
  return (
    <section class="timeline" aria-label="Steps">
      <p class="timeline-caption">Values on arrival at the line, before it is executed</p>
      <div
        class={layout.filter(Boolean).join(" ")}
        style={column ? { "--lane-column": column.width } : undefined}
        ref={box}
      >
        <div class="step-row timeline-head">
          <span>Step</span>
          <span />
          {column && <span>Thread</span>}
          <span>
            <Defined term="term:actual">Actual</Defined>
          </span>
          {hasPredicted && (
            <span>
              <Defined term="term:predicted">Predicted</Defined>
            </span>
          )}
          {maxNll !== null && <span title={NLL_TITLE}>NLL</span>}
        </div>
        <div
          class="step-rows"
          role="listbox"
          aria-label={hasPredicted ? "Steps, actual and predicted" : "Actual steps"}
          tabIndex={0}
          aria-activedescendant={isVisible ? `step-${step}` : undefined}
          style={{ height: `${length * rowHeight + extra}px`, "--lines": lines }}
        >
          {visibleSteps.map((index) => {
            const mark = stepMark(sample, index);
            const style = mark === "✗" ? " diverged" : mark === "≠" ? " mismatch" : "";
            return (
              <div
                key={index}
                id={`step-${index}`}
                role="option"
                aria-selected={index === step}
                aria-posinset={index + 1}
                aria-setsize={length}
                class={"step-row" + style}
                style={{ top: `${top(index)}px`, height: `${top(index + 1) - top(index)}px` }}
                onClick={() => choose(index)}
              >
                <span class="number">{index}</span>
                <span class="mark" title={MARK_TITLES[mark]}>
                  {mark}
                  <span class="visually-hidden">{MARK_TITLES[mark]}</span>
                </span>
                {lanes && column && (
                  <LaneCell lanes={lanes} step={index} height={top(index + 1) - top(index)} isDrawn={column.isDrawn} />
                )}
                <StepCell
                  side="actual"
                  execution={sample.actual}
                  index={index}
                  timeline={actual}
                  others={mark === "✗" ? others.actual : NO_VALUES}
                />
                {hasPredicted && (
                  <StepCell
                    side="predicted"
                    execution={sample.predicted}
                    index={index}
                    timeline={predicted}
                    others={mark === "✗" ? others.predicted : NO_VALUES}
                    wrongValues={unlistedWrongValues(sample, predicted, index)}
                  />
                )}
                {maxNll !== null && <NllBars nll={sample.nll?.[index]} max={maxNll} />}
              </div>
            );
          })}
        </div>
      </div>
      <MarkLegend sample={sample} length={length} />
      {hasAssumed && (
        <p class="assumed-legend">
          <span class="assumed-mark">≈</span> {ASSUMED_TITLE}
        </p>
      )}
      <div class="endings-box" tabIndex={0} role="region" aria-label="Endings">
        <dl class="endings">
          <dt>Actual</dt>
          <dd>
            <Text of={shorten(sample.actual.ending, 300)} lines />
          </dd>
          <dt>Predicted</dt>
          <dd>
            <Text of={shorten(sample.predicted.ending, 300)} />
          </dd>
        </dl>
      </div>
    </section>
  );
}

/** The marks of the steps, and what they mean; those that do not occur are left out. */
function MarkLegend({ sample, length }: { sample: SampleDocument; length: number }) {
  const marks = useMemo(() => legendMarks(sample, length), [sample, length]);
  if (marks.length === 0) return null;
  return (
    <p class="mark-legend">
      {marks.map(([mark, text]) => (
        <span>
          <b class={mark === "✗" ? "cause-mark" : undefined}>{mark}</b> {text}
        </span>
      ))}
    </p>
  );
}

/** [["✗", "first divergence"], ["≠", "differs from the actual step"], …] */
export function legendMarks(sample: SampleDocument, length: number): [mark: string, text: string][] {
  const { divergence, stale_variables } = sample;
  if (!divergence) return [];
  const shown = new Set<string>();
  for (let step = divergence.step; step < length; step++) shown.add(stepMark(sample, step));
  const marks = (["✗", "≠", "=", "−", "+"] as const).filter((mark) => shown.has(mark));
  const texts = marks.map((mark): [string, string] => {
    const title = MARK_TITLES[mark];
    return [mark, title.charAt(0).toLowerCase() + title.slice(1)];
  });
  if (Object.keys(stale_variables).length > 0) texts.push(["still x=", "a wrong value that the step keeps"]);
  return texts;
}

/** A change that a step shows. */
interface Change {
  /** What stands before the value. */
  start: string;
  text: string;
  /** The whole text, shown on hover. */
  title: string;
  isDifferent?: boolean;
  marks?: Marks;
}

/** Wrong values of a predicted step that are not among the changes it lists: ["still x=7"]. */
function unlistedWrongValues(sample: SampleDocument, predicted: Timeline, index: number): Change[] {
  const stale = sample.stale_variables[index];
  if (stale !== undefined) return [change(`still ${stale}=`, predicted.state(index).get(stale) ?? "")];
  const step = sample.predicted.steps[index];
  if (index !== sample.divergence?.step || !step || step.value !== null) return [];
  const unlisted = sample.divergence.differences.filter((difference) => !step.changed.includes(difference.name));
  return unlisted.map(({ name, actual, predicted }) => change(`${name}=`, predicted ?? "not set", actual ?? ""));
}

/** A value with what stands before it; one that differs from `other` is shortened around the difference. */
function change(start: string, value: string, other?: string): Change {
  const isDifferent = other !== undefined && other !== value;
  const shown = isDifferent ? shortenAround(value, other, MAX_VALUE_CHARS) : shorten(value, MAX_VALUE_CHARS);
  const title = shown === value ? "" : escapeHidden(shorten(start + value, MAX_TITLE_CHARS));
  return { start, text: shown, title, isDifferent, ...(isDifferent && { marks: spaceMarks(value, other) }) };
}

interface StepProps {
  side: "actual" | "predicted";
  execution: Execution;
  index: number;
  timeline: Timeline;
  /** Values of the other execution at the divergence, by variable; "" for what is returned or raised. */
  others: Map<string, string>;
  wrongValues?: Change[];
}

function StepCell({ side, execution, index, timeline, others, wrongValues = [] }: StepProps) {
  const step = execution.steps[index];
  if (!step)
    return (
      <span class="step-cell muted">
        <bdi>{index === execution.steps.length && <Text of={shorten(execution.ending, 120)} />}</bdi>
      </span>
    );
  if (step.is_gap) return <span class="step-cell muted">no such step</span>;
  const [symbol, title] = EVENTS[step.event] ?? EVENTS.line;
  const state = step.changed.some((name) => !Object.hasOwn(step.set, name)) ? timeline.state(index) : null;
  const changes = step.changed.slice(0, MAX_CHANGES).map((name): Change => {
    const value = Object.hasOwn(step.set, name) ? step.set[name] : state?.get(name);
    return value === undefined ? { start: name, text: "", title: "" } : change(`${name}=`, value, others.get(name));
  });
  if (step.description !== undefined) changes.push({ ...change("", step.description), marks: "sentence" });
  else if (step.value !== null) changes.push(change("= ", step.value, others.get("")));
  if (step.changed.length > MAX_CHANGES) changes.push({ start: "…", text: "", title: "" });
  changes.push(...wrongValues.slice(0, MAX_CHANGES));
  // What differs comes first, so that it is the last to be shortened.
  changes.sort((a, b) => Number(b.isDifferent ?? false) - Number(a.isDifferent ?? false));
  return (
    <span class={`step-cell ${side}-side${step.assumed ? " assumed" : ""}`}>
      <span class="event" title={title}>
        {symbol}
        <span class="visually-hidden">{title}</span>
      </span>
      {step.assumed && <AssumedMark calls={step.assumed} />}
      <bdi class="code">
        <Text of={shorten(step.text.trim(), 120)} />
      </bdi>
      {changes.map(({ start, text, title, isDifferent, marks }) => (
        <bdi class={isDifferent ? "change different" : "change"} title={title || undefined}>
          <Text of={start} marks="name" />
          <Text of={text} marks={marks ?? "lookalikes"} />
        </bdi>
      ))}
    </span>
  );
}

/** The mark of a step with assumed calls; on hover, the calls and their values. */
function AssumedMark({ calls }: { calls: string[] }) {
  const title = escapeHidden(shorten(calls.join("\n"), MAX_TITLE_CHARS));
  return (
    <span class="assumed-mark" title={title}>
      ≈<span class="visually-hidden">Assumed</span>
    </span>
  );
}

/** For each side, the values of the other one at the divergence. */
function otherValues({ divergence }: SampleDocument, side: "actual" | "predicted"): Map<string, string> {
  const other = side === "actual" ? "predicted" : "actual";
  const values = new Map<string, string>();
  for (const difference of divergence?.differences ?? []) values.set(difference.name, difference[other] ?? "");
  if (divergence?.where === "return") values.set("", divergence[other]);
  return values;
}

const NO_VALUES = new Map<string, string>();

function NllBars({ nll, max }: { nll: StepNll | undefined; max: number }) {
  if (!nll) return <span />;
  const width = (value: number | null) => `${Math.min(Math.max((100 * (value ?? 0)) / max, 0), 100)}%`;
  return (
    <span class="nll-bars" role="img" aria-label={formatNll(nll)} title={formatNll(nll)}>
      <span class={nll.is_action_greedy ? "greedy" : "not-greedy"} style={{ width: width(nll.action) }} />
      <span class={nll.is_state_greedy ? "greedy" : "not-greedy"} style={{ width: width(nll.state) }} />
    </span>
  );
}

/** "action 0.02, state 4.50 ✗ not the model's first choice; in nats" */
export function formatNll({ action, state, is_action_greedy, is_state_greedy }: StepNll): string {
  const format = (name: string, nats: number | null, isGreedy: boolean) =>
    nats === null ? [] : [`${name} ${nats.toFixed(2)}${isGreedy ? "" : " ✗ not the model's first choice"}`];
  const parts = [...format("action", action, is_action_greedy), ...format("state", state, is_state_greedy)];
  return `${parts.join(", ") || "no tokens"}; in nats`;
}

function largestNll(nll: StepNll[] | null): number | null {
  if (!nll?.length) return null;
  return nll.reduce((max, { action, state }) => Math.max(max, action ?? 0, state ?? 0), 0.01);
}

function scrollToStep(box: HTMLElement, top: number, rowHeight: number): void {
  const isInView = top >= box.scrollTop && top + rowHeight <= box.scrollTop + box.clientHeight - LINE_HEIGHT;
  // By rows, so that the first one is complete.
  if (!isInView) box.scrollTop = Math.round((top - box.clientHeight / 2) / rowHeight) * rowHeight;
}
