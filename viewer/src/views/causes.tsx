/** Causes of failures, and the effects of the interventions that were tried on them. */
import type { CauseCount, Effect, Interventions, RunDocument } from "../api";
import { causeLabel, label } from "../labels";
import { formatCount, pluralize } from "../numberFormat";
import { CountTable, type ExtraColumn } from "./countTable";
import { NumberHeadings } from "./elements";
import { ShareCell } from "./shareBar";
import { Text } from "./text";

const DESCRIPTION: ExtraColumn<CauseCount> = {
  title: "Description",
  style: "sentence",
  cell: (cause) => <Text of={cause.sentence} />,
};
const CONFIRMED: ExtraColumn<CauseCount> = {
  title: "Confirmed by an intervention",
  term: "column:confirmed_by",
  style: "nowrap",
  cell: (cause) => (cause.confirmed ? <ShareCell share={cause.confirmed} /> : "not tried"),
};

const REFUTED: ExtraColumn<CauseCount> = {
  title: "Removed without effect: refuted",
  term: "column:refuted_by",
  style: "nowrap",
  cell: (cause) => (cause.refuted ? <ShareCell share={cause.refuted} /> : "not tried"),
};

export function CauseTable({ run, index }: { run: RunDocument; index: number }) {
  const isTested = run.causes.some((cause) => cause.confirmed || cause.refuted);
  const extraColumns = isTested ? [DESCRIPTION, CONFIRMED, REFUTED] : [DESCRIPTION];
  return (
    <>
      <p class="note">{causesText(run)}</p>
      <CountTable run={run} index={index} facet="cause" counts={run.causes} extraColumns={extraColumns} />
    </>
  );
}

/** "Causes of 66 divergences and 1 other failure. Each is a hypothesis …" */
export function causesText({ causes, divergences }: Pick<RunDocument, "causes" | "divergences">): string {
  const [all, diverged] = [sum(causes.map(({ count }) => count)), sum(divergences.map(({ count }) => count))];
  const others = all - diverged;
  const whole =
    others > 0
      ? `${pluralize(diverged, "divergence")} and ${pluralize(others, "other failure")}`
      : others < 0
        ? `${formatCount(all)} of ${pluralize(diverged, "divergence")}`
        : pluralize(diverged, "divergence");
  return `Causes of ${whole}. ${hypothesisText(causes)}`;
}

/** "Each is a hypothesis from the two executions; interventions confirmed 4 and refuted 1." */
export function hypothesisText(causes: CauseCount[]): string {
  const [confirmed, refuted] = (["confirmed", "refuted"] as const).map((test) =>
    sum(causes.map((cause) => cause[test]?.correct ?? 0)),
  ) as [number, number];
  const tested = causes.some((cause) => cause.confirmed || cause.refuted)
    ? `interventions confirmed ${formatCount(confirmed)} and refuted ${formatCount(refuted)}.`
    : "no intervention has confirmed any of them.";
  return `Each is a hypothesis from the two executions; ${tested}`;
}

const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);

/** The effect of each intervention on all failures it was tried on, and by cause on demand. */
export function EffectTables({ interventions }: { interventions: Interventions }) {
  return (
    <>
      <ul class="plain-list">
        {interventions.fixes.map((line) => (
          <li>
            <Text of={line} />
          </li>
        ))}
      </ul>
      <EffectTable
        title={`Each intervention on the failures it was tried on, of ${pluralize(interventions.failures, "failure")} in the run`}
        effects={interventions.effects.filter((effect) => effect.cause === null)}
        headings={["What it changes", "Actual steps"]}
        cells={(effect) => [effect.description, effect.needs_actual ? "needed" : ""]}
      />
      <details>
        <summary>By cause</summary>
        <EffectTable
          title="Turned correct, by cause and intervention"
          effects={interventions.effects.filter((effect) => effect.cause !== null)}
          headings={["Cause"]}
          cells={(effect) => [effect.cause === null ? "" : causeLabel(effect.cause)]}
        />
      </details>
    </>
  );
}

interface EffectProps {
  title: string;
  effects: Effect[];
  /** Headings and cells of the columns after the intervention. */
  headings: string[];
  cells: (effect: Effect) => string[];
}

function EffectTable({ title, effects, headings, cells }: EffectProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {["Intervention", ...headings, "Turned correct"].map((heading) => (
              <th scope="col">{heading}</th>
            ))}
            <NumberHeadings of={["Completion tokens"]} />
          </tr>
        </thead>
        <tbody>
          {effects.map((effect) => (
            <tr>
              <th scope="row">
                <Text of={label(effect.intervention)} />
              </th>
              {cells(effect).map((text) => (
                <td>
                  <Text of={text} />
                </td>
              ))}
              <td class="nowrap">
                <ShareCell share={effect.recovered} />
              </td>
              <td class="number">{effect.tokens === null ? "–" : `${effect.tokens.toFixed(2)}×`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
