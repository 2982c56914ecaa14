/** The variables of both executions at a step, and their call stacks. */
import { useState } from "preact/hooks";
import type { Frame, SampleDocument } from "../contract";
import type { Timeline } from "../lanes";
import { count } from "../numbers";
import { markOf, surpriseText } from "./lanes";
import { Text, Value } from "./text";

const MORE = 100;
const MOST_FRAMES = 100;

interface Props {
  sample: SampleDocument;
  real: Timeline;
  imagined: Timeline;
  step: number;
}

export function StateTable({ sample, real, imagined, step }: Props) {
  const [shown, setShown] = useState(MORE);
  const [a, b] = [real.state(step), imaginedState(sample, imagined, step)];
  const [realStep, imaginedStep] = [sample.real.steps[step], sample.imagined.steps[step]];
  const names = [...new Set([...a.keys(), ...b.keys()])];
  const differs = differing(sample, step);
  const surprise = sample.surprise?.[step];
  const hasValue = (realStep?.value ?? null) !== null || (imaginedStep?.value ?? null) !== null;
  return (
    <section class="panel state-panel" aria-label="state">
      <h2>State at step {step}</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="variables">
        <table class="state">
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">
                <span class="unseen">same or not</span>
              </th>
              <th scope="col">real</th>
              <th scope="col">imagined</th>
            </tr>
          </thead>
          <tbody>
            {hasValue && (
              <StateRow
                name={realStep?.event === "exception" || imaginedStep?.event === "exception" ? "raised" : "returned"}
                isValue
                real={realStep?.value ?? null}
                imagined={imaginedStep?.value ?? null}
                differs={differs(null, realStep?.value ?? null, imaginedStep?.value ?? null)}
              />
            )}
            {names.slice(0, shown).map((name) => (
              <StateRow
                key={name}
                name={name}
                real={a.get(name) ?? null}
                imagined={b.get(name) ?? null}
                isRealNew={realStep?.changed.includes(name)}
                isImaginedNew={imaginedStep?.changed.includes(name)}
                differs={differs(name, a.get(name) ?? null, b.get(name) ?? null)}
              />
            ))}
          </tbody>
        </table>
        {names.length === 0 && !hasValue && <p class="note">No variables here.</p>}
        {shown < names.length && (
          <button type="button" onClick={() => setShown(shown + MORE)}>
            {count(Math.min(MORE, names.length - shown))} more
          </button>
        )}
      </div>
      {surprise && <p class="note">Surprise: {surpriseText(surprise)}.</p>}
    </section>
  );
}

/** Where the text breaks off within the step that parts, what it had already written is in the divergence alone. */
function imaginedState({ divergence }: SampleDocument, imagined: Timeline, step: number): Map<string, string> {
  const state = imagined.state(step);
  if (step === divergence?.step && step >= imagined.length)
    for (const { name, predicted } of divergence.differences) if (predicted !== null) state.set(name, predicted);
  return state;
}

/**
 * Whether two values of a step are to be marked. Before the divergence nothing is, whatever the texts: two values can be
 * the same to Worldline and not in writing, such as memory addresses.
 */
function differing(sample: SampleDocument, step: number) {
  const mark = markOf(sample, step);
  const told = new Set(mark === "✗" ? sample.divergence?.differences.map((difference) => difference.name) : []);
  return (name: string | null, real: string | null, imagined: string | null): boolean => {
    if (mark === "" || mark === "=") return false;
    return name !== null && told.size ? told.has(name) : real !== imagined;
  };
}

interface RowProps {
  name: string;
  real: string | null;
  imagined: string | null;
  differs: boolean;
  isValue?: boolean;
  isRealNew?: boolean;
  isImaginedNew?: boolean;
}

function StateRow({ name, real, imagined, differs, isValue, isRealNew, isImaginedNew }: RowProps) {
  return (
    <tr class={differs ? "differs" : undefined}>
      <th scope="row">
        {isValue ? (
          <em>{name}</em>
        ) : (
          <bdi>
            <Text of={name} />
          </bdi>
        )}
      </th>
      <td class="mark">
        {differs && (
          <>
            ≠<span class="unseen">differs</span>
          </>
        )}
      </td>
      <StateCell value={real} isNew={isRealNew ?? false} />
      <StateCell value={imagined} isNew={isImaginedNew ?? false} />
    </tr>
  );
}

function StateCell({ value, isNew }: { value: string | null; isNew: boolean }) {
  return (
    <td class={isNew ? "new" : undefined}>
      {isNew && (
        <span class="dot" title="changed by this step">
          •<span class="unseen">changed</span>{" "}
        </span>
      )}
      {value === null ? <span class="soft">not there</span> : <Value of={value} />}
    </td>
  );
}

export function Stacks({ real, imagined, step }: { real: Timeline; imagined: Timeline; step: number }) {
  return (
    <section class="panel" aria-label="call stacks">
      <h2>Call stack</h2>
      <div class="stacks">
        <Stack title="real" frames={real.stack(step)} hasEnded={step >= real.length} />
        <Stack title="imagined" frames={imagined.stack(step)} hasEnded={step >= imagined.length} />
      </div>
    </section>
  );
}

/** The innermost call first, as debuggers show it. */
function Stack({ title, frames, hasEnded }: { title: string; frames: Frame[]; hasEnded: boolean }) {
  const shown = frames.slice(-MOST_FRAMES).reverse();
  return (
    <div>
      <h3>{title}</h3>
      {hasEnded || frames.length === 0 ? (
        <p class="note">{hasEnded ? "ended" : "nothing is called"}</p>
      ) : (
        <ol class="stack">
          {shown.map((frame) => (
            <li>
              <bdi class="mono">
                <Text of={frame.function} />
              </bdi>
              {frame.line !== null && <span class="soft"> line {frame.line}</span>}
            </li>
          ))}
          {frames.length > MOST_FRAMES && <li class="soft">… {count(frames.length - MOST_FRAMES)} more</li>}
        </ol>
      )}
    </div>
  );
}
