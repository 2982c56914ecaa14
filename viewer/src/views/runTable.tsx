/** Table of the runs of a project, with their differences to a baseline. */
import type { ProjectRun, RunDifference } from "../api";
import { escapeHidden } from "../escape";
import {
  formatCount,
  formatDifferenceInterval,
  formatPoints,
  formatPValue,
  formatShare,
  pluralize,
} from "../numberFormat";
import { comparePath, runPath } from "../project/links";
import type { ProjectState } from "../project/state";
import type { StateUpdate } from "./projectPage";
import { ShareCell } from "./shareBar";
import { Text } from "./text";

/** Differences with a smaller adjusted p-value are printed in bold. */
const SIGNIFICANCE = 0.05;

const NO_DIFFERENCE = "Not compared: no sample was answered in this run and in the baseline";

/** The columns: the name that is sorted by, the heading, and whether it is a number. */
const COLUMNS: [string, string, boolean][] = [
  ["run", "Run", false],
  ["step", "Step", true],
  ["answered", "Correct of answered", false],
  ["difference", "Difference", true],
  ["", "95% interval", true],
  ["", "Pairs", true],
  ["", "Adjusted p", true],
  ["all", "Correct of all", false],
  ["truncated", "Truncated", true],
  ["no_answer", "No answer", true],
  ["infra_error", "Infra errors", true],
  ["samples", "Samples", true],
  ["model", "Model", false],
  ["evaluated", "Evaluated", false],
];

/** Columns that are left out if they are empty in all runs. */
const OPTIONAL: Record<string, (run: ProjectRun) => boolean> = {
  step: (run) => run.step !== null,
  truncated: (run) => run.accuracy.truncated > 0,
  no_answer: (run) => run.accuracy.no_answer > 0,
  infra_error: (run) => run.accuracy.infra_error > 0,
};

interface Props {
  runs: ProjectRun[];
  baseline: string;
  differences: ReadonlyMap<string, RunDifference>;
  isServed: boolean;
  state: ProjectState;
  update: StateUpdate;
  /** Whether the runs of the project are of different models. */
  hasModels: boolean;
}

export function RunTable({ runs, baseline, differences, isServed, state, update, hasModels }: Props) {
  const isShown = (name: string) =>
    name === "model" ? hasModels : OPTIONAL[name] === undefined || runs.some(OPTIONAL[name]);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
      <table class="runs-table">
        <thead>
          <tr>
            {COLUMNS.filter(([name]) => isShown(name)).map(([name, title, isNumber]) => (
              <Heading name={name} title={title} isNumber={isNumber} state={state} update={update} />
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row
              run={run}
              isServed={isServed}
              isBaseline={run.id === baseline}
              baseline={baseline}
              difference={differences.get(run.id)}
              isShown={isShown}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadingProps {
  name: string;
  title: string;
  isNumber: boolean;
  state: ProjectState;
  update: StateUpdate;
}

function Heading({ name, title, isNumber, state, update }: HeadingProps) {
  const style = isNumber ? "number" : undefined;
  if (name === "")
    return (
      <th scope="col" class={style}>
        {title}
      </th>
    );
  const isSorted = state.sort === name;
  const order = isSorted ? (state.descending ? "descending" : "ascending") : "none";
  // Numbers begin with the largest, names with the first.
  const isFirstDescending = isNumber || name === "answered" || name === "all" || name === "evaluated";
  const descending = isSorted ? !state.descending : isFirstDescending;
  return (
    <th scope="col" class={style} aria-sort={order}>
      <button type="button" class="sort" onClick={() => update({ sort: name, descending })}>
        {title}
        {isSorted && <span aria-hidden="true"> {state.descending ? "↓" : "↑"}</span>}
      </button>
    </th>
  );
}

interface RowProps {
  run: ProjectRun;
  isServed: boolean;
  isBaseline: boolean;
  baseline: string;
  difference: RunDifference | undefined;
  isShown: (column: string) => boolean;
}

function Row({ run, isServed, isBaseline, baseline, difference, isShown }: RowProps) {
  const { accuracy } = run;
  const counts = (["truncated", "no_answer", "infra_error"] as const).filter(isShown);
  return (
    <tr class={isBaseline ? "baseline" : undefined}>
      <th scope="row" title={escapeHidden(run.id)}>
        {isServed ? (
          <a href={runPath(run.id)}>
            <Text of={run.id} />
          </a>
        ) : (
          <Text of={run.id} />
        )}
      </th>
      {isShown("step") && <td class="number">{run.step === null ? "" : formatCount(run.step)}</td>}
      <td>
        <ShareCell share={accuracy.of_answered} />
      </td>
      <DifferenceCells
        difference={difference}
        isBaseline={isBaseline}
        link={isServed ? comparePath(baseline, run.id) : null}
      />
      <td title={formatShare(accuracy.of_all)}>{formatShare({ ...accuracy.of_all, low: null })}</td>
      {counts.map((name) => (
        <td class="number">{accuracy[name] ? formatCount(accuracy[name]) : "·"}</td>
      ))}
      <td class="number">
        {formatCount(accuracy.samples)}
        {accuracy.samples < run.expected && ` of ${formatCount(run.expected)}`}
      </td>
      {isShown("model") && (
        <td>
          <Text of={run.model} />
        </td>
      )}
      <td>
        <Text of={run.evaluated_at.slice(0, 16).replace("T", " ")} />
      </td>
    </tr>
  );
}

function DifferenceCells(props: { difference: RunDifference | undefined; isBaseline: boolean; link: string | null }) {
  const { difference, isBaseline, link } = props;
  if (isBaseline) return <td colSpan={4}>Baseline</td>;
  if (!difference) return <td colSpan={4}>…</td>;
  if (difference.answered.value === null)
    return (
      <td colSpan={4} class="muted" title={NO_DIFFERENCE}>
        – <span class="visually-hidden">{NO_DIFFERENCE}</span>
      </td>
    );
  if (difference.has_same_verdicts) {
    const shared = pluralize(difference.all.of, "shared sample");
    return (
      <td colSpan={4} class="muted">
        {link === null ? "Same verdicts" : <a href={link}>Same verdicts</a>} on all {shared}
      </td>
    );
  }
  const points = formatPoints(difference.answered.value);
  const style = difference.adjusted_p < SIGNIFICANCE ? "number significant" : "number";
  return (
    <>
      <td class={style}>{link === null ? points : <a href={link}>{points}</a>}</td>
      <td class={style}>{formatDifferenceInterval(difference.answered)}</td>
      <td class="number">{formatCount(difference.answered.of)}</td>
      <td class={style}>{formatPValue(difference.adjusted_p)}</td>
    </>
  );
}
