/** Comparison of two runs on the samples they share. Panels without data are left out. */
import { useState } from "preact/hooks";
import type { ChangedSample, Comparison, GroupChange, ReportDocument } from "../api";
import { columnLabel, label, measureLabel, runLabel } from "../labels";
import { formatCount, formatDifferenceInterval, formatPoints, formatPValue } from "../numberFormat";
import { toHash } from "../route";
import { NumberHeadings, Panel } from "./elements";
import { ShareTile } from "./shareBar";
import { Text } from "./text";

/** Samples shown at first, and added by the button. */
const SAMPLES_SHOWN = 100;
const VERDICTS = ["correct", "incorrect", "no_answer", "truncated", "infra_error"];
const GROUPS_SHOWN = 5;
/** Groups with a smaller adjusted p-value are printed in bold. */
const SIGNIFICANCE = 0.05;

export function ComparisonPage({ report, comparison }: { report: ReportDocument; comparison: Comparison }) {
  const { difference } = comparison;
  return (
    <div class="overview">
      <h1>Comparison</h1>
      <p class="headline">
        <Text of={comparison.headline} />
      </p>
      {comparison.settings.length > 0 && (
        <p class="note">
          <Text of={comparison.settings.join(" · ")} />
        </p>
      )}
      <div class="tiles">
        <ShareTile title={`A: ${runLabel(report, 0)}`} share={comparison.a} />
        <ShareTile title={`B: ${runLabel(report, 1)}`} share={comparison.b} />
        <div class="tile">
          <h2>Difference, B − A</h2>
          <p class="big">{formatPoints(difference.value)} points</p>
          <p>
            95% interval {formatDifferenceInterval(difference)}, p {formatPValue(difference.p).replace(/^(?!<)/, "= ")},{" "}
            {formatCount(difference.of)} pairs
          </p>
        </div>
      </div>
      <div class="panels">
        <Panel title="Verdicts in A (rows) and in B (columns)">
          <VerdictTable verdicts={comparison.verdicts} />
          <ul class="plain-list">
            {comparison.notes.map((line) => (
              <li>
                <Text of={line} />
              </li>
            ))}
          </ul>
        </Panel>
        {comparison.groups.length > 0 && (
          <Panel title="Gains and losses of B by group" isWide>
            <GroupTable groups={comparison.groups} />
            <p class="note">
              <Text of={comparison.groups_note} />
            </p>
          </Panel>
        )}
        {comparison.gained.length > 0 && (
          <Panel title={`Gained: ${formatCount(comparison.gained.length)} (not correct in A, correct in B)`} isWide>
            <ChangedSamples title="Gained samples" samples={comparison.gained} />
          </Panel>
        )}
        {comparison.lost.length > 0 && (
          <Panel title={`Lost: ${formatCount(comparison.lost.length)} (correct in A, not correct in B)`} isWide>
            <ChangedSamples title="Lost samples" samples={comparison.lost} />
          </Panel>
        )}
      </div>
    </div>
  );
}

/** What changed in each sample, with links to it in both runs. */
function ChangedSamples({ title, samples }: { title: string; samples: ChangedSample[] }) {
  const [shown, setShown] = useState(SAMPLES_SHOWN);
  const link = (run: number, id: string) => toHash({ page: "sample", run, id, step: null });
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label={title}>
      <table class="changed-samples">
        <thead>
          <tr>
            <th scope="col">Sample</th>
            <th scope="col">In A</th>
            <th scope="col">In B</th>
          </tr>
        </thead>
        <tbody>
          {samples.slice(0, shown).map(({ id, a, b }) => (
            <tr>
              <th scope="row">
                <bdi class="mono">
                  <Text of={id} />
                </bdi>
              </th>
              {[a, b].map((text, run) => (
                <td>
                  <a href={link(run, id)}>
                    <Text of={text} marks="sentence" />
                  </a>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown < samples.length && (
        <button type="button" onClick={() => setShown(shown + SAMPLES_SHOWN)}>
          Show {formatCount(Math.min(SAMPLES_SHOWN, samples.length - shown))} more
        </button>
      )}
    </div>
  );
}

function VerdictTable({ verdicts }: { verdicts: Comparison["verdicts"] }) {
  const shown = VERDICTS.filter((name) => verdicts.some(({ a, b }) => a === name || b === name));
  const largest = Math.max(...verdicts.map((verdict) => verdict.count), 1);
  const sum = (a: string | null, b: string | null) =>
    verdicts
      .filter((pair) => (a ?? pair.a) === pair.a && (b ?? pair.b) === pair.b)
      .reduce((total, pair) => total + pair.count, 0);
  const format = (number: number) => (number ? formatCount(number) : "·");
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Verdicts in both runs">
      <table class="heat">
        <thead>
          <tr>
            <th scope="col">A ↓ B →</th>
            <NumberHeadings of={[...shown.map(label), "All"]} />
          </tr>
        </thead>
        <tbody>
          {shown.map((from) => (
            <tr>
              <th scope="row">{label(from)}</th>
              {shown.map((to) => (
                <td class="number" style={{ "--heat": sum(from, to) / largest }}>
                  {format(sum(from, to))}
                </td>
              ))}
              <td class="number">{format(sum(from, null))}</td>
            </tr>
          ))}
          <tr class="total">
            <th scope="row">All</th>
            {[...shown, null].map((to) => (
              <td class="number">{format(sum(null, to))}</td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

/** The groups with the smallest p-values; the others on demand. */
function GroupTable({ groups }: { groups: GroupChange[] }) {
  const [isOpen, setOpen] = useState(false);
  const sorted = [...groups].sort((a, b) => a.adjusted_p - b.adjusted_p || a.difference.p - b.difference.p);
  const shown = isOpen ? groups : sorted.slice(0, GROUPS_SHOWN);
  return (
    <>
      <GroupRows groups={shown} />
      {groups.length > GROUPS_SHOWN && (
        <p>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Show the first five" : `Show all ${formatCount(groups.length)} groups`}
          </button>
        </p>
      )}
    </>
  );
}

function GroupRows({ groups }: { groups: GroupChange[] }) {
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Gains and losses by group">
      <table>
        <thead>
          <tr>
            <th scope="col">By</th>
            <th scope="col">Group</th>
            <NumberHeadings of={["Pairs", "Gained", "Lost", "Points", "95% interval", "Adjusted p"]} />
          </tr>
        </thead>
        <tbody>
          {groups.map((group, index) => (
            <tr class={group.adjusted_p < SIGNIFICANCE ? "significant" : undefined}>
              <td>{group.by !== groups[index - 1]?.by && <Text of={measureLabel(group.by)} />}</td>
              <th scope="row">
                <Text of={columnLabel(group.by, group.group)} />
              </th>
              <td class="number">{formatCount(group.pairs)}</td>
              <td class="number">{group.gained ? formatCount(group.gained) : "·"}</td>
              <td class="number">{group.lost ? formatCount(group.lost) : "·"}</td>
              <td class="number">{formatPoints(group.difference.value)}</td>
              <td class="number nowrap">{formatDifferenceInterval(group.difference)}</td>
              <td class="number">{formatPValue(group.adjusted_p)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
