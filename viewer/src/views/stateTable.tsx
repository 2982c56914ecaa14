/** Variables and call stacks of both executions at a step. */
import { useState } from "preact/hooks";
import type { Frame, SampleDocument } from "../api";
import { formatCount } from "../numberFormat";
import type { Timeline } from "../timeline";
import { Text } from "./text";
import { formatNll, stepMark } from "./timelineView";
import { Value } from "./value";

/** Variables shown at first, and added by the button. */
const VARIABLES_SHOWN = 100;
const MAX_FRAMES = 100;

interface Props {
  /** Whether steps were predicted. */
  hasPredicted: boolean;
  sample: SampleDocument;
  actual: Timeline;
  predicted: Timeline;
  step: number;
}

export function StateTable({ sample, actual, predicted, step, hasPredicted }: Props) {
  const [shown, setShown] = useState(VARIABLES_SHOWN);
  const [actualState, predictedState] = [actual.state(step), predictedStateAt(sample, predicted, step)];
  const [actualStep, predictedStep] = [sample.actual.steps[step], sample.predicted.steps[step]];
  const names = [...new Set([...actualState.keys(), ...predictedState.keys()])];
  const isDifferent = differenceTest(sample, step);
  const nll = sample.nll?.[step];
  const [actualValue, predictedValue] = [actualStep?.value ?? null, predictedStep?.value ?? null];
  const hasValue = actualValue !== null || predictedValue !== null;
  const isException = actualStep?.event === "exception" || predictedStep?.event === "exception";
  return (
    <section class="panel state-panel" aria-label="Variables">
      <h2>Variables at step {step}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of variables">
        <table class="state">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">
                <span class="visually-hidden">Differs</span>
              </th>
              <th scope="col">Actual</th>
              {hasPredicted && <th scope="col">Predicted</th>}
            </tr>
          </thead>
          <tbody>
            {hasValue && (
              <StateRow
                hasPredicted={hasPredicted}
                name={isException ? "raised" : "returned"}
                isResult
                actual={actualValue}
                predicted={predictedValue}
                isDifferent={isDifferent(null, actualValue, predictedValue)}
              />
            )}
            {names.slice(0, shown).map((name) => (
              <StateRow
                hasPredicted={hasPredicted}
                key={name}
                name={name}
                actual={actualState.get(name) ?? null}
                predicted={predictedState.get(name) ?? null}
                isActualChanged={actualStep?.changed.includes(name)}
                isPredictedChanged={predictedStep?.changed.includes(name)}
                isDifferent={isDifferent(name, actualState.get(name) ?? null, predictedState.get(name) ?? null)}
              />
            ))}
          </tbody>
        </table>
        {names.length === 0 && !hasValue && <p class="note">No variables at this step.</p>}
        {shown < names.length && (
          <button type="button" onClick={() => setShown(shown + VARIABLES_SHOWN)}>
            Show {formatCount(Math.min(VARIABLES_SHOWN, names.length - shown))} more
          </button>
        )}
      </div>
      {nll && <p class="note">Negative log-likelihood: {formatNll(nll)}.</p>}
    </section>
  );
}

/** The predicted variables. If the output ends within the diverging step, its last values are in the divergence only. */
function predictedStateAt({ divergence }: SampleDocument, timeline: Timeline, step: number): Map<string, string> {
  const state = timeline.state(step);
  if (step === divergence?.step && step >= timeline.length)
    for (const { name, predicted } of divergence.differences) if (predicted !== null) state.set(name, predicted);
  return state;
}

/**
 * A function that tells whether to mark two values of a step as different. Before the divergence none is: values such as
 * memory addresses count as equal although their texts differ.
 */
function differenceTest(sample: SampleDocument, step: number) {
  const mark = stepMark(sample, step);
  const diagnosed = new Set(mark === "✗" ? sample.divergence?.differences.map((difference) => difference.name) : []);
  return (name: string | null, actual: string | null, predicted: string | null): boolean => {
    if (mark !== "✗" && mark !== "≠") return false;
    return name !== null && diagnosed.size ? diagnosed.has(name) : actual !== predicted;
  };
}

interface RowProps {
  hasPredicted: boolean;
  name: string;
  actual: string | null;
  predicted: string | null;
  isDifferent: boolean;
  /** The value returned or raised, not a variable. */
  isResult?: boolean;
  isActualChanged?: boolean;
  isPredictedChanged?: boolean;
}

function StateRow(props: RowProps) {
  const { hasPredicted, name, actual, predicted, isDifferent, isResult } = props;
  const { isActualChanged, isPredictedChanged } = props;
  return (
    <tr class={isDifferent ? "differs" : undefined}>
      <th scope="row">
        {isResult ? (
          <em>{name}</em>
        ) : (
          <bdi>
            <Text of={name} />
          </bdi>
        )}
      </th>
      <td class="mark">
        {isDifferent && (
          <>
            ≠<span class="visually-hidden">differs</span>
          </>
        )}
      </td>
      <StateCell value={actual} isChanged={isActualChanged ?? false} />
      {hasPredicted && <StateCell value={predicted} isChanged={isPredictedChanged ?? false} />}
    </tr>
  );
}

function StateCell({ value, isChanged }: { value: string | null; isChanged: boolean }) {
  return (
    <td class={isChanged ? "changed" : undefined}>
      {isChanged && (
        <span class="dot" title="Changed by this step">
          •<span class="visually-hidden">changed</span>{" "}
        </span>
      )}
      {value === null ? <span class="muted">not set</span> : <Value of={value} marks="value" />}
    </td>
  );
}

interface StacksProps {
  actual: Timeline;
  predicted: Timeline;
  step: number;
  /** Whether steps were predicted. */
  hasPredicted: boolean;
}

export function CallStacks({ actual, predicted, step, hasPredicted }: StacksProps) {
  return (
    <section class="panel" aria-label="Call stacks">
      <h2>Call stack</h2>
      <div class="stacks">
        <CallStack title="Actual" frames={actual.stack(step)} hasEnded={step >= actual.length} />
        {hasPredicted && (
          <CallStack title="Predicted" frames={predicted.stack(step)} hasEnded={step >= predicted.length} />
        )}
      </div>
    </section>
  );
}

/** The innermost call first, as in debuggers. */
function CallStack({ title, frames, hasEnded }: { title: string; frames: Frame[]; hasEnded: boolean }) {
  const shown = frames.slice(-MAX_FRAMES).reverse();
  return (
    <div>
      <h3>{title}</h3>
      {hasEnded || frames.length === 0 ? (
        <p class="note">{hasEnded ? "Ended" : "No active call"}</p>
      ) : (
        <ol class="stack">
          {shown.map((frame) => (
            <li>
              <bdi class="mono">
                <Text of={frame.function} />
              </bdi>
              {frame.line !== null && <span class="muted"> line {frame.line}</span>}
            </li>
          ))}
          {frames.length > MAX_FRAMES && <li class="muted">… {formatCount(frames.length - MAX_FRAMES)} more</li>}
        </ol>
      )}
    </div>
  );
}
