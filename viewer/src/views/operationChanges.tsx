/** Operations that one run predicts better or worse than another. */
import { useState } from "preact/hooks";
import type { OperationChange, ProjectRun, ProjectSource } from "../api";
import { formatCount, formatDifferenceInterval, formatPercent, formatPoints, formatPValue } from "../numberFormat";
import { comparePath } from "../project/links";
import type { ProjectState } from "../project/state";
import { useAsync } from "../useAsync";
import { NumberHeadings } from "./elements";
import { Message } from "./message";
import { RunSelect, type StateUpdate } from "./projectPage";
import { Text } from "./text";

const FIRST_ROWS = 10;
/** Changes with a smaller adjusted p-value are printed in bold. */
const SIGNIFICANCE = 0.05;

interface Props {
  data: ProjectSource;
  names: string[];
  /** The runs, the best first: the two best ones are chosen at first. */
  best: ProjectRun[];
  state: ProjectState;
  update: StateUpdate;
}

export function OperationChanges({ data, names, best, state, update }: Props) {
  const known = (id: string, otherwise: string | undefined) => (names.includes(id) ? id : (otherwise ?? ""));
  const [a, b] = [known(state.a, best[1]?.id), known(state.b, best[0]?.id)];
  // Counting reads all traces of both runs: only on request.
  const isRequested = names.includes(state.a) && names.includes(state.b);
  return (
    <>
      <div class="compared-runs">
        <RunSelect title="A" names={names} value={a} choose={(id) => update({ a: id, b })} />
        <RunSelect title="B" names={names} value={b} choose={(id) => update({ a, b: id })} />
        {a !== b && !isRequested && (
          <button type="button" onClick={() => update({ a, b })}>
            Compare operations
          </button>
        )}
        {a !== b && <a href={comparePath(a, b)}>Open the comparison</a>}
      </div>
      {a === b ? (
        <p class="note">Choose two different runs, to see which operations B predicts better and worse than A.</p>
      ) : (
        isRequested && <Changes key={`${a} ${b}`} data={data} a={a} b={b} />
      )}
    </>
  );
}

function Changes({ data, a, b }: { data: ProjectSource; a: string; b: string }) {
  const [changes, retry] = useAsync(JSON.stringify([a, b]), () => data.operationChanges(a, b));
  if (changes.status === "error") return <Message text={changes.message} retry={retry} />;
  if (changes.status === "loading")
    return (
      <p class="loading" role="status">
        Counting operations … The first time, this reads all traces of both runs.
      </p>
    );
  const [worse, better] = [-1, 1].map((sign) =>
    changes.value.filter(({ difference }) => sign * (difference.value ?? 0) > 0),
  ) as [OperationChange[], OperationChange[]];
  const same = changes.value.length - worse.length - better.length;
  return (
    <>
      <ChangeTable title="Worse in B" changes={worse} />
      <ChangeTable title="Better in B" changes={better} />
      <p class="note">
        {formatCount(same)} of {formatCount(changes.value.length)} operations did not change. Counted are the steps that
        an operation decides alone, before the first divergence and at it. The difference is the mean over the programs
        in which both runs predicted such a step; p is adjusted for the number of operations (Benjamini–Hochberg).
      </p>
    </>
  );
}

function ChangeTable({ title, changes }: { title: string; changes: OperationChange[] }) {
  const [isOpen, setOpen] = useState(false);
  if (changes.length === 0) return <p>{title}: no operation</p>;
  const shown = isOpen ? changes : changes.slice(0, FIRST_ROWS);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>
          {title}: {formatCount(changes.length)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <NumberHeadings of={["Correct in A", "Correct in B", "Points", "95% interval", "Programs", "Adjusted p"]} />
          </tr>
        </thead>
        <tbody>
          {shown.map((change) => (
            <tr class={change.adjusted_p !== null && change.adjusted_p < SIGNIFICANCE ? "significant" : undefined}>
              <th scope="row">
                <Text of={change.name} />
              </th>
              <td class="number nowrap">{formatSteps(change.a)}</td>
              <td class="number nowrap">{formatSteps(change.b)}</td>
              <td class="number">{formatPoints(change.difference.value)}</td>
              <td class="number nowrap">{formatDifferenceInterval(change.difference)}</td>
              <td class="number">{formatCount(change.difference.of)}</td>
              <td class="number">{change.adjusted_p === null ? "–" : formatPValue(change.adjusted_p)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > FIRST_ROWS && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? `Show the first ${FIRST_ROWS}` : `Show all ${formatCount(changes.length)}`}
        </button>
      )}
    </div>
  );
}

/** "83.3% of 412" */
function formatSteps({ correct, of }: { correct: number; of: number }): string {
  return `${formatPercent(of ? correct / of : null)} of ${formatCount(of)}`;
}
