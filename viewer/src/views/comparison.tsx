/** Two runs over the same samples. */
import { useState } from "preact/hooks";
import { toHash } from "../address";
import type { Change, Comparison, ReportDocument } from "../contract";
import { count, differenceInterval, pointsText, pText } from "../numbers";
import { nameOf } from "../names";
import { NumberTitles } from "./number-titles";
import { Panel } from "./panel";
import { Tile } from "./share";
import { Text } from "./text";

const MORE = 100;
const VERDICTS = ["right", "wrong", "no_answer", "cut", "failed"];
/** Below this an adjusted p is marked. */
const CLEAR = 0.05;

export function ComparisonView({ report, comparison }: { report: ReportDocument; comparison: Comparison }) {
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
        <Tile title={`A: ${nameOf(report, 0)}`} share={comparison.a} />
        <Tile title={`B: ${nameOf(report, 1)}`} share={comparison.b} />
        <div class="tile">
          <h2>difference, B − A</h2>
          <p class="big">{pointsText(difference.value)} points</p>
          <p>
            95% interval {differenceInterval(difference)}, p {pText(difference.p).replace(/^(?!<)/, "= ")},{" "}
            {count(difference.of)} pairs
          </p>
        </div>
      </div>
      <div class="panels">
        <Panel title="Verdicts: from A, in rows, to B">
          <Verdicts verdicts={comparison.verdicts} />
          <ul class="told">
            {comparison.notes.map((line) => (
              <li>
                <Text of={line} />
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title="Where B gained and lost">
          <Groups comparison={comparison} />
        </Panel>
        <Panel title={`Gained: ${count(comparison.gained.length)} (not right in A, right in B)`}>
          <Ids name="gained" ids={comparison.gained} />
        </Panel>
        <Panel title={`Lost: ${count(comparison.lost.length)} (right in A, not right in B)`}>
          <Ids name="lost" ids={comparison.lost} />
        </Panel>
      </div>
    </div>
  );
}

/** Links to a sample in both runs. */
function Ids({ name, ids }: { name: string; ids: string[] }) {
  const [shown, setShown] = useState(MORE);
  if (ids.length === 0) return <p class="note">None.</p>;
  const link = (run: number, id: string) => toHash({ page: "sample", run, id, step: null, tokens: false });
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label={name}>
      <ul class="ids">
        {ids.slice(0, shown).map((id) => (
          <li>
            <bdi class="mono">
              <Text of={id} />
            </bdi>{" "}
            <a href={link(0, id)}>in A</a> <a href={link(1, id)}>in B</a>
          </li>
        ))}
      </ul>
      {shown < ids.length && (
        <button type="button" onClick={() => setShown(shown + MORE)}>
          {count(Math.min(MORE, ids.length - shown))} more
        </button>
      )}
    </div>
  );
}

function Verdicts({ verdicts }: { verdicts: Comparison["verdicts"] }) {
  const shown = VERDICTS.filter((name) => verdicts.some(({ a, b }) => a === name || b === name));
  const most = Math.max(...verdicts.map((verdict) => verdict.count), 1);
  const sum = (a: string | null, b: string | null) =>
    verdicts.reduce((all, each) => all + ((a ?? each.a) === each.a && (b ?? each.b) === each.b ? each.count : 0), 0);
  const told = (number: number) => (number ? count(number) : "·");
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="verdicts">
      <table class="heat">
        <thead>
          <tr>
            <th scope="col">A ↓ B →</th>
            {[...shown, "all"].map((to) => (
              <th scope="col" class="number">
                {to}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((from) => (
            <tr>
              <th scope="row">{from}</th>
              {shown.map((to) => (
                <td class="number" style={{ "--heat": sum(from, to) / most }}>
                  {told(sum(from, to))}
                </td>
              ))}
              <td class="number">{told(sum(from, null))}</td>
            </tr>
          ))}
          <tr class="total">
            <th scope="row">all</th>
            {[...shown, null].map((to) => (
              <td class="number">{told(sum(null, to))}</td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function Groups({ comparison: { groups, groups_note } }: { comparison: Comparison }) {
  if (groups.length === 0) return <p class="note">Nowhere: no group has gains or losses.</p>;
  return (
    <>
      <GroupTable groups={groups} />
      <p class="note">
        <Text of={groups_note} />
      </p>
    </>
  );
}

function GroupTable({ groups }: { groups: Change[] }) {
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="groups">
      <table>
        <thead>
          <tr>
            <th scope="col">by</th>
            <th scope="col">group</th>
            <NumberTitles of={["pairs", "gained", "lost", "points", "95% interval", "adj. p"]} />
          </tr>
        </thead>
        <tbody>
          {groups.map((group, at) => (
            <tr class={group.adjusted_p < CLEAR ? "clear" : undefined}>
              <td>{group.by !== groups[at - 1]?.by && <Text of={group.by} />}</td>
              <th scope="row">
                <Text of={group.group} />
              </th>
              <td class="number">{count(group.pairs)}</td>
              <td class="number">{group.gained ? count(group.gained) : "·"}</td>
              <td class="number">{group.lost ? count(group.lost) : "·"}</td>
              <td class="number">{pointsText(group.difference.value)}</td>
              <td class="number nowrap">{differenceInterval(group.difference)}</td>
              <td class="number">{pText(group.adjusted_p)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
