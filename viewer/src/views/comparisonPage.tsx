/** Comparison of two runs on the samples they share. Panels without data are left out. */
import { useState } from "preact/hooks";
import type { ChangedSample, Comparison, GroupChange, Quantity, ReportDocument } from "../api";
import { columnLabel, label, measureLabel, runLabel } from "../labels";
import { formatCount, formatDifferenceInterval, formatPoints, formatPValue } from "../numberFormat";
import { toHash } from "../route";
import { NumberHeadings, Panel } from "./elements";
import { ShareTile } from "./shareBar";
import { Text } from "./text";

/** Ids of the panels of changed samples. */
const PANELS = { gained: "section-gained", lost: "section-lost" };
/** Samples shown at first. */
const SAMPLES_SHOWN = 12;
const VERDICTS = ["correct", "incorrect", "no_answer", "truncated", "infra_error"];
const GROUPS_SHOWN = 5;
/** Groups with a smaller adjusted p-value are printed in bold. */
const SIGNIFICANCE = 0.05;

export function ComparisonPage({ report, comparison }: { report: ReportDocument; comparison: Comparison }) {
  const { difference } = comparison;
  return (
    <div class="overview">
      <h1>Comparison</h1>
      <Headline comparison={comparison} />
      {comparison.mode_note !== "" && (
        <p>
          <Text of={comparison.mode_note} />
        </p>
      )}
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
        </Panel>
        <Panel title="Quantities in both runs">
          <QuantityTable quantities={comparison.quantities} />
          {comparison.notes.map((line) => (
            <p class="note">
              <Text of={line} />
            </p>
          ))}
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
          <Panel
            id={PANELS.gained}
            title={`Gained: ${formatCount(comparison.gained.length)} (not correct in A, correct in B)`}
            isWide
          >
            <ChangedSamples title="Gained samples" samples={comparison.gained} />
          </Panel>
        )}
        {comparison.lost.length > 0 && (
          <Panel
            id={PANELS.lost}
            title={`Lost: ${formatCount(comparison.lost.length)} (correct in A, not correct in B)`}
            isWide
          >
            <ChangedSamples title="Lost samples" samples={comparison.lost} />
          </Panel>
        )}
      </div>
    </div>
  );
}

/** The headline; the numbers of gained and lost samples lead to their lists below. */
function Headline({ comparison: { headline, gained, lost } }: { comparison: Comparison }) {
  const parts = splitHeadline(headline, gained.length, lost.length);
  return (
    <p class="headline">
      {parts.map(({ text, change }) =>
        change === null ? (
          <Text of={text} />
        ) : (
          <button
            type="button"
            class={change}
            onClick={() => document.getElementById(PANELS[change])?.scrollIntoView({ block: "start" })}
          >
            {text}
          </button>
        ),
      )}
    </p>
  );
}

interface HeadlinePart {
  text: string;
  /** The list that the text leads to. */
  change: keyof typeof PANELS | null;
}

/** "… (31 gained, 4 lost; …)", 31, 4 -> "… (", "31 gained" (gained), ", ", "4 lost" (lost), "; …)" */
export function splitHeadline(headline: string, gained: number, lost: number): HeadlinePart[] {
  const parts: HeadlinePart[] = [];
  let rest = headline;
  for (const [change, count] of [
    ["gained", gained],
    ["lost", lost],
  ] as const) {
    const text = `${formatCount(count)} ${change}`;
    // The names of the runs come first, and can contain the same text.
    const start = rest.lastIndexOf(text);
    if (count === 0 || start < 0) continue;
    parts.push({ text: rest.slice(0, start), change: null }, { text, change });
    rest = rest.slice(start + text.length);
  }
  return [...parts, { text: rest, change: null }];
}

/** Each quantity in A and in B, with its change. */
function QuantityTable({ quantities }: { quantities: Quantity[] }) {
  if (quantities.length === 0) return null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Quantities in both runs">
      <table class="quantities">
        <thead>
          <tr>
            <th scope="col">Quantity</th>
            {["A", "B", "Change", "95% interval", "p"].map((title) => (
              <th scope="col">{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {quantities.map(({ name, a, b, change, interval, p }) => (
            <tr>
              <th scope="row">
                <Text of={name} />
              </th>
              {[a, b, change, interval, p].map((text) => (
                <td>
                  <Text of={text.replaceAll("-", "−")} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What changed in each sample, with links to it in both runs. */
function ChangedSamples({ title, samples }: { title: string; samples: ChangedSample[] }) {
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? samples : samples.slice(0, SAMPLES_SHOWN);
  const link = (run: number, id: string) => toHash({ page: "sample", run, id, step: null });
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="changed-samples">
          <thead>
            <tr>
              <th scope="col">Sample</th>
              <th scope="col">In A</th>
              <th scope="col">In B</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, a, b }) => (
              <tr>
                <th scope="row">
                  <a href={link(0, id)}>
                    <bdi class="mono">
                      <Text of={id} />
                    </bdi>
                  </a>
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
      </div>
      {samples.length > SAMPLES_SHOWN && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? `Show the first ${SAMPLES_SHOWN}` : `Show all ${formatCount(samples.length)}`}
        </button>
      )}
    </>
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

/** "Trace, of failures": a diagnosis is that of the samples whose answer is not correct. */
export function groupTitle({ by, is_of_failures }: Pick<GroupChange, "by" | "is_of_failures">): string {
  return measureLabel(by) + (is_of_failures ? ", of failures" : "");
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
              <td>{group.by !== groups[index - 1]?.by && <Text of={groupTitle(group)} />}</td>
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
