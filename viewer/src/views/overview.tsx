/** One run at a glance. */
import type { Accuracy, ReportDocument, Source } from "../contract";
import { nameOf } from "../names";
import { count, percent } from "../numbers";
import { BudgetView } from "./budget";
import { Causes, Effects } from "./causes";
import { Counts } from "./counts";
import { Lengths, SurvivalCurve } from "./curves";
import { Panel } from "./panel";
import { Places } from "./places";
import { Tile } from "./share";
import { Text } from "./text";

interface Props {
  source: Source;
  report: ReportDocument;
  index: number;
  by: string | null;
}

export function Overview({ source, report, index, by }: Props) {
  const run = report.runs[index];
  if (!run) return null;
  return (
    <div class="overview">
      <h1>
        <Text of={nameOf(report, index)} />
      </h1>
      <pre class="lines">
        {run.lines.map((line) => (
          <bdi class="line">
            <Text of={line} />
            {"\n"}
          </bdi>
        ))}
      </pre>
      <AccuracyTiles accuracy={run.accuracy} />
      <div class="panels">
        <Panel title="Outcomes">
          <Counts run={run} index={index} facet="outcome" counts={run.outcomes} none="Nothing was asked yet." />
        </Panel>
        <Panel title="First divergence: where × kind of the real value">
          <Places run={run} index={index} />
        </Panel>
        <Panel title="Accuracy against length">
          <Lengths lengths={run.lengths} run={index} by={by} />
        </Panel>
        <Panel title="Still right after so many steps">
          <SurvivalCurve survival={run.survival} />
        </Panel>
        {run.scored.length > 0 && <Scored lines={run.scored} />}
        <Panel title="Causes" isWide>
          <Causes run={run} index={index} />
        </Panel>
        <Panel title="Interventions" isWide={run.interventions !== null}>
          <Effects interventions={run.interventions} />
        </Panel>
        <Panel title="Token budget" isWide={run.interventions !== null}>
          <BudgetView source={source} run={run} index={index} />
        </Panel>
      </div>
    </div>
  );
}

function AccuracyTiles({ accuracy }: { accuracy: Accuracy }) {
  const { asked, no_answer, cut, failed, wrong, samples } = accuracy;
  const silent = no_answer + cut;
  return (
    <>
      <div class="tiles">
        <Tile title="right of all" share={accuracy.of_all} />
        <Tile title="right of answered" share={accuracy.of_answered} />
        <div class="tile">
          <h2>not answered</h2>
          <p class="big">{percent(asked ? silent / asked : null)}</p>
          <p>
            {count(silent)} of {count(asked)}: {count(cut)} cut by the token budget, {count(no_answer)} ended without an
            answer
          </p>
        </div>
      </div>
      <p class="note">
        {count(samples)} samples, {count(wrong)} answered wrong.{" "}
        {failed > 0 && `${count(failed)} failed in the infrastructure: they count nowhere above.`}
      </p>
    </>
  );
}

/** How the model takes true steps one by one: the first line is what the others are about. */
function Scored({ lines: [title = "", ...lines] }: { lines: string[] }) {
  return (
    <Panel title={title} isWide>
      <pre class="lines">
        <Text of={lines.join("\n")} lines />
      </pre>
    </Panel>
  );
}
