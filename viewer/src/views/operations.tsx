/** Accuracy by operation: rates, groups, and the fitted model. */
import { useState } from "preact/hooks";
import type { DataSource, OddsRatio, OperationModel, OperationRate, Operations, RunDocument } from "../api";
import { errorMessage } from "../dataSource/errors";
import { formatCount, pluralize } from "../numberFormat";
import { NumberHeadings } from "./elements";
import { Message } from "./message";
import { ShareCell } from "./shareBar";
import { Text } from "./text";

/** Operations that are executed less often are folded. */
const MIN_EXECUTIONS = 10;

export function hasOperations({ operations, can_measure_operations }: RunDocument): boolean {
  return can_measure_operations || (operations !== null && operations.operations.length > 0);
}

export function OperationsView({ data, run, index }: { data: DataSource; run: RunDocument; index: number }) {
  const [operations, setOperations] = useState(run.operations);
  if (operations === null) return <MeasureButton data={data} index={index} onMeasured={setOperations} />;
  const { steps, predictions, diverged, programs } = operations;
  const wrong = steps.of - steps.correct;
  return (
    <>
      <p>
        {pluralize(steps.of, "step")} in the correct part of {pluralize(predictions, "prediction")} and at the first
        divergence: {formatCount(wrong)} wrong, of {pluralize(diverged, "prediction")} that diverged. Intervals of 95%
        are clustered by program ({formatCount(programs)}). Several operations on one line share its outcome; none of
        them is blamed. The operations with the most wrong steps are first.
      </p>
      <RateTables rates={operations.operations} />
      <ModelView model={operations.model} note={operations.note} />
      <details>
        <summary>By size, nesting and arguments</summary>
        {groupTitles(operations).map(([by, title]) => (
          <GroupTable title={title} groups={operations.groups.filter((group) => group.by === by)} />
        ))}
      </details>
    </>
  );
}

/** The operations with the most wrong steps first, and those with too few executions to tell. */
export function sortRates(rates: OperationRate[]): { shown: OperationRate[]; folded: OperationRate[] } {
  const wrong = ({ of, correct }: { of: number; correct: number }) => of - correct;
  const executions = ({ single, shared }: OperationRate) => single.of + shared.of;
  const sorted = [...rates].sort(
    (a, b) => wrong(b.single) - wrong(a.single) || wrong(b.shared) - wrong(a.shared) || executions(b) - executions(a),
  );
  const folded = sorted.filter((rate) => executions(rate) < MIN_EXECUTIONS);
  // A small run would show nothing.
  if (folded.length === sorted.length) return { shown: sorted, folded: [] };
  return { shown: sorted.filter((rate) => executions(rate) >= MIN_EXECUTIONS), folded };
}

function RateTables({ rates }: { rates: OperationRate[] }) {
  const { shown, folded } = sortRates(rates);
  return (
    <>
      <RateTable rates={shown} title="Correct steps by operation" />
      {folded.length > 0 && (
        <details>
          <summary>
            {pluralize(folded.length, "operation")} with fewer than {MIN_EXECUTIONS} executions
          </summary>
          <RateTable rates={folded} title="Operations with few executions" />
        </details>
      )}
    </>
  );
}

function RateTable({ rates, title }: { rates: OperationRate[]; title: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            <th scope="col">Correct, if it decides the step alone</th>
            <th scope="col">Together with others</th>
            <NumberHeadings of={["Programs"]} />
          </tr>
        </thead>
        <tbody>
          {rates.map((rate) => (
            <tr>
              <th scope="row">
                <Text of={rate.name} />
              </th>
              <td class="nowrap">{rate.single.of > 0 ? <ShareCell share={rate.single} /> : "–"}</td>
              <td class="nowrap">{rate.shared.of > 0 ? <ShareCell share={rate.shared} /> : "–"}</td>
              <td class="number">{formatCount(rate.programs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ModelView({ model, note }: { model: OperationModel | null; note: string }) {
  if (model === null)
    return (
      <p class="note">
        <Text of={note} />
      </p>
    );
  const alone = new Map(model.alone.map((ratio) => [ratio.name, ratio]));
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Odds of a correct step">
        <table>
          <caption>Odds of a correct step, by logistic regression with cluster-robust intervals of 95%</caption>
          <thead>
            <tr>
              <th scope="col">
                Compared with <Text of={model.reference} />
              </th>
              <NumberHeadings of={["Odds ratio", "At equal size and nesting"]} />
            </tr>
          </thead>
          <tbody>
            {model.adjusted.map((ratio) => (
              <tr>
                <th scope="row">
                  <Text of={ratio.name} />
                </th>
                <td class="number">{formatRatio(alone.get(ratio.name))}</td>
                <td class="number">{formatRatio(ratio)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ul class="plain-list">
        {model.sentences.map((sentence) => (
          <li>
            <Text of={sentence} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** "0.41 (0.22 to 0.77)" */
function formatRatio(ratio: OddsRatio | undefined): string {
  if (!ratio) return "–";
  const [value, low, high] = [ratio.value, ratio.low, ratio.high].map((number) => Number(number.toPrecision(2)));
  return `${value} (${low} to ${high})`;
}

function groupTitles({ groups, unit }: Operations): [string, string][] {
  const names = [...new Set(groups.map((group) => group.by))];
  return names.map((by) => [by, by.endsWith("size") ? `By ${by}, in ${unit}` : `By ${by}`]);
}

function GroupTable({ title, groups }: { title: string; groups: Operations["groups"] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>
          <Text of={title} />
        </caption>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col">Correct steps</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr>
              <th scope="row">
                <Text of={group.group} />
              </th>
              <td class="nowrap">
                <ShareCell share={group} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Measures the operations on request, since that reads all traces of the run. */
function MeasureButton(props: { data: DataSource; index: number; onMeasured: (operations: Operations) => void }) {
  const { data, index, onMeasured } = props;
  const [isMeasuring, setMeasuring] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const measure = () => {
    setMeasuring(true);
    setError(null);
    data
      .operations(index)
      .then(onMeasured, (reason: unknown) => setError(errorMessage(reason)))
      .finally(() => setMeasuring(false));
  };
  if (error !== null) return <Message text={error} retry={measure} />;
  return (
    <button type="button" disabled={isMeasuring} onClick={measure}>
      {isMeasuring ? "Reading all traces …" : "Measure the accuracy by operation"}
    </button>
  );
}
