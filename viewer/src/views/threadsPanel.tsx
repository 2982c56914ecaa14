/** Threads at a step: where each of them is, what it last saw, and where threads were interrupted. */
import type { SampleDocument } from "../api";
import { shorten } from "../escape";
import { type Lanes, ownSteps, type Preemption } from "../lanes";
import { pluralize } from "../numberFormat";
import type { Timeline } from "../timeline";
import { Defined } from "./defined";
import { Text } from "./text";
import { threadName } from "./threadLanes";

const MAX_VARIABLES = 12;
const MAX_VALUE_CHARS = 60;
const MAX_PREEMPTIONS = 50;

interface Props {
  sample: SampleDocument;
  lanes: Lanes;
  actual: Timeline;
  step: number;
  choose: (step: number) => void;
}

export function ThreadsPanel({ sample, lanes, actual, step, choose }: Props) {
  const { schedule } = sample;
  return (
    <section class="panel wide threads-panel" aria-label="Threads">
      <h2>Threads at step {step} of the actual execution</h2>
      {schedule && (
        <p class="schedule">
          <Defined term="term:schedule">Schedule</Defined>{" "}
          <code>
            <Text of={schedule.text} />
          </code>{" "}
          <span class="muted">{pluralize(schedule.preemptions, "preemption")}</span>
        </p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of threads">
        <table class="threads">
          <thead>
            <tr>
              <th scope="col">Thread</th>
              <th scope="col">State</th>
              <th scope="col">Next line</th>
              <th scope="col">Variables, as the thread last saw them</th>
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: lanes.count }, (_, thread) => (
              <ThreadRow sample={sample} lanes={lanes} actual={actual} step={step} thread={thread} />
            ))}
          </tbody>
        </table>
      </div>
      {lanes.preemptions.length > 0 && (
        <>
          <h3>Preemptions: switches away from a thread that could continue</h3>
          <ul class="preemptions">
            {lanes.preemptions.slice(0, MAX_PREEMPTIONS).map((preemption) => (
              <PreemptionItem preemption={preemption} source={sample.source} choose={choose} />
            ))}
            {lanes.preemptions.length > MAX_PREEMPTIONS && (
              <li class="muted">… {lanes.preemptions.length - MAX_PREEMPTIONS} more</li>
            )}
          </ul>
        </>
      )}
    </section>
  );
}

interface RowProps {
  sample: SampleDocument;
  lanes: Lanes;
  actual: Timeline;
  step: number;
  thread: number;
}

function ThreadRow({ sample, lanes, actual, step, thread }: RowProps) {
  const [last, next] = ownSteps(lanes, thread, step);
  const isRunning = last === step;
  const preemption = last === null || isRunning ? undefined : lanes.preemptionAfter(last);
  const state =
    last === null
      ? "not started"
      : isRunning
        ? "runs"
        : next === null
          ? "no later step"
          : preemption
            ? "interrupted"
            : "waits for its turn";
  const line = last === null || state === "no later step" ? null : (preemption?.line ?? lineAt(sample, last));
  const variables = last === null ? [] : lastSeen(sample, actual, last, preemption ? next : null);
  return (
    <tr class={isRunning ? "running" : undefined}>
      <th scope="row">{threadName(thread)}</th>
      <td class={preemption ? "interrupted" : undefined}>{state}</td>
      <td>
        {line !== null && (
          <>
            <span class="muted">{line}</span> <SourceLine source={sample.source} line={line} />
          </>
        )}
      </td>
      <td>
        {variables.slice(0, MAX_VARIABLES).map(([name, value]) => (
          <bdi class="variable mono">
            <Text of={`${name} = `} marks="name" />
            <Text of={shorten(value, MAX_VALUE_CHARS)} marks="lookalikes" />
          </bdi>
        ))}
        {variables.length > MAX_VARIABLES && "…"}
      </td>
    </tr>
  );
}

function lineAt(sample: SampleDocument, step: number): number | null {
  return sample.actual.steps[step]?.line ?? null;
}

/**
 * The variables at a thread's last step. An interrupted thread has executed one more line: what that set for the first
 * time is shown with its next step.
 */
function lastSeen(
  sample: SampleDocument,
  actual: Timeline,
  last: number,
  next: number | null,
): [name: string, value: string][] {
  const seen = actual.state(last);
  if (next !== null && sample.actual.steps[next]?.event === "line")
    for (const [name, value] of actual.state(next)) if (!seen.has(name)) seen.set(name, value);
  return [...seen];
}

function SourceLine({ source, line }: { source: string; line: number }) {
  const text = source.split("\n")[line - 1]?.trim() ?? "";
  return (
    <bdi class="mono">
      <Text of={shorten(text, 100)} />
    </bdi>
  );
}

interface PreemptionProps {
  preemption: Preemption;
  source: string;
  choose: (step: number) => void;
}

function PreemptionItem({ preemption, source, choose }: PreemptionProps) {
  const { step, thread, line, next } = preemption;
  return (
    <li>
      <button type="button" onClick={() => choose(step + 1)}>
        Step {step + 1}
      </button>{" "}
      {threadName(next)} runs, and {threadName(thread)} is interrupted before line {line}:{" "}
      <SourceLine source={source} line={line} />
    </li>
  );
}
