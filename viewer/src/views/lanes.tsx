/** The real and the imagined execution beside each other, a step a row. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Lane, SampleDocument, Surprise } from "../contract";
import type { Timeline } from "../lanes";
import { clip } from "../visible";
import { useSpan } from "../window";
import { Text } from "./text";

const ROW_HEIGHT = 22;
const MOST_CHANGES = 6;
const EVENTS = { call: ["→", "call"], return: ["←", "return"], exception: ["!", "exception"], line: ["", ""] } as const;

/** What stands before a step: nothing, ✗ where they part, and behind it = or ≠. */
export function markOf(sample: SampleDocument, step: number): "" | "✗" | "=" | "≠" {
  if (!sample.divergence || step < sample.divergence.step) return "";
  if (step === sample.divergence.step) return "✗";
  return sample.same_again[step - sample.divergence.step] ? "=" : "≠";
}

const BARS = "in nats: the action above, the state below; hatched is not the model's own choice";
const MARK_WORDS = { "": "", "✗": "here they part", "=": "the same again", "≠": "not the same" };

interface Props {
  sample: SampleDocument;
  real: Timeline;
  imagined: Timeline;
  step: number;
  length: number;
  choose: (step: number) => void;
}

export function Lanes({ sample, real, imagined, step, length, choose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { from, to } = useSpan(box, length, ROW_HEIGHT);
  useEffect(() => {
    if (box.current) bringIntoSight(box.current, step);
  }, [step]);
  const most = useMemo(() => mostSurprise(sample.surprise), [sample]);
  const drawn = Array.from({ length: to - from }, (_, at) => from + at);
  /** What is wrong in an imagined step and not among its changes. */
  const wrong = (at: number): string[] => {
    const name = sample.still[at];
    if (name !== undefined) return [`still ${name}=${clip(imagined.state(at).get(name) ?? "", 80)}`];
    const step = sample.imagined.steps[at];
    if (at !== sample.divergence?.step || !step || step.value !== null) return [];
    const unsaid = sample.divergence.differences.filter((difference) => !step.changed.includes(difference.name));
    return unsaid.map(({ name, predicted }) => `${name}=${clip(predicted ?? "nothing", 80)}`);
  };
  const isDrawn = step >= from && step < to;
  return (
    <section class="lanes" aria-label="steps">
      <div class={most === null ? "lanes-box" : "lanes-box surprised"} ref={box}>
        <div class="lane-row lane-head">
          <span>step</span>
          <span />
          <span>real</span>
          <span>imagined</span>
          {most !== null && <span title={BARS}>surprise</span>}
        </div>
        <div
          class="lane-rows"
          role="listbox"
          aria-label="steps, real and imagined"
          tabIndex={0}
          aria-activedescendant={isDrawn ? `step-${step}` : undefined}
          style={{ height: `${length * ROW_HEIGHT}px` }}
        >
          {drawn.map((at) => {
            const mark = markOf(sample, at);
            const kind = mark === "✗" ? " parts" : mark === "≠" ? " other" : "";
            return (
              <div
                key={at}
                id={`step-${at}`}
                role="option"
                aria-selected={at === step}
                aria-posinset={at + 1}
                aria-setsize={length}
                class={"lane-row" + kind}
                style={{ top: `${at * ROW_HEIGHT}px` }}
                onClick={() => choose(at)}
              >
                <span class="number">{at}</span>
                <span class="mark" title={MARK_WORDS[mark]}>
                  {mark}
                  <span class="unseen">{MARK_WORDS[mark]}</span>
                </span>
                <StepCell lane={sample.real} at={at} timeline={real} />
                <StepCell lane={sample.imagined} at={at} timeline={imagined} wrong={wrong(at)} />
                {most !== null && <SurpriseBars surprise={sample.surprise?.[at]} most={most} />}
              </div>
            );
          })}
        </div>
      </div>
      <dl class="endings">
        <dt>real</dt>
        <dd>
          <Text of={clip(sample.real.ending, 300)} />
        </dd>
        <dt>imagined</dt>
        <dd>
          <Text of={clip(sample.imagined.ending, 300)} />
        </dd>
      </dl>
    </section>
  );
}

interface StepProps {
  lane: Lane;
  at: number;
  timeline: Timeline;
  wrong?: string[];
}

function StepCell({ lane, at, timeline, wrong = [] }: StepProps) {
  const step = lane.steps[at];
  if (!step)
    return (
      <span class="step-cell soft">
        <bdi>{at === lane.steps.length && <Text of={clip(lane.ending, 120)} />}</bdi>
      </span>
    );
  const [mark, word] = EVENTS[step.event] ?? EVENTS.line;
  const state = step.changed.some((name) => !Object.hasOwn(step.set, name)) ? timeline.state(at) : null;
  const changes = step.changed.slice(0, MOST_CHANGES).map((name) => {
    const value = Object.hasOwn(step.set, name) ? step.set[name] : state?.get(name);
    return value === undefined ? name : `${name}=${clip(value, 80)}`;
  });
  if (step.tells !== undefined) changes.push(clip(step.tells, 80));
  else if (step.value !== null) changes.push(`= ${clip(step.value, 80)}`);
  if (step.changed.length > MOST_CHANGES) changes.push("…");
  changes.push(...wrong.slice(0, MOST_CHANGES));
  return (
    <span class="step-cell">
      <span class="event" title={word}>
        {mark}
        <span class="unseen">{word}</span>
      </span>
      <bdi class="code">
        <Text of={clip(step.text.trim(), 120)} />
      </bdi>
      {changes.map((change) => (
        <bdi class="change">
          <Text of={change} />
        </bdi>
      ))}
    </span>
  );
}

function SurpriseBars({ surprise, most }: { surprise: Surprise | undefined; most: number }) {
  if (!surprise) return <span />;
  const width = (value: number | null) => `${Math.min(Math.max((100 * (value ?? 0)) / most, 0), 100)}%`;
  return (
    <span class="surprise" role="img" aria-label={surpriseText(surprise)} title={surpriseText(surprise)}>
      <span class={surprise.is_action_greedy ? "first" : "not-first"} style={{ width: width(surprise.action) }} />
      <span class={surprise.is_state_greedy ? "first" : "not-first"} style={{ width: width(surprise.state) }} />
    </span>
  );
}

/** "action 0.02, state 4.50 ✗ not the model's own choice; in nats" */
export function surpriseText({ action, state, is_action_greedy, is_state_greedy }: Surprise): string {
  const told = (name: string, nats: number | null, isOwn: boolean) =>
    nats === null ? [] : [`${name} ${nats.toFixed(2)}${isOwn ? "" : " ✗ not the model's own choice"}`];
  const both = [...told("action", action, is_action_greedy), ...told("state", state, is_state_greedy)];
  return `${both.join(", ") || "nothing to be surprised by"}; in nats`;
}

function mostSurprise(surprise: Surprise[] | null): number | null {
  if (!surprise?.length) return null;
  return surprise.reduce((most, { action, state }) => Math.max(most, action ?? 0, state ?? 0), 0.01);
}

function bringIntoSight(box: HTMLElement, step: number): void {
  const top = step * ROW_HEIGHT;
  const head = ROW_HEIGHT;
  const isInSight = top >= box.scrollTop && top + ROW_HEIGHT <= box.scrollTop + box.clientHeight - head;
  if (!isInSight) box.scrollTop = top - box.clientHeight / 2;
}
