/** Overview of one run: accuracy, outcomes, divergences, causes, tokens. Panels without data are left out. */
import type { Accuracy, DataSource, ReportDocument } from "../api";
import { runLabel } from "../labels";
import { formatCount, formatPercent, pluralize } from "../numberFormat";
import { CauseTable, EffectTables } from "./causes";
import { CalibrationChart, LengthChart, SurvivalChart } from "./charts";
import { CountTable } from "./countTable";
import { DivergenceHeatmap } from "./divergenceHeatmap";
import { Panel } from "./elements";
import { ExampleFailures } from "./exampleFailures";
import { hasOperations, OperationsView } from "./operations";
import { ShareTile } from "./shareBar";
import { Text } from "./text";
import { hasTokenUsage, TokenUsageView } from "./tokenUsage";
import { TrustView } from "./trust";

interface Props {
  data: DataSource;
  report: ReportDocument;
  index: number;
  by: string | null;
}

export function OverviewPage({ data, report, index, by }: Props) {
  const run = report.runs[index];
  if (!run) return null;
  return (
    <div class="overview">
      <h1>
        <Text of={runLabel(report, index)} />
      </h1>
      <p class="subtitle">
        <Text of={run.header.join(" · ")} />
      </p>
      {run.headline !== "" && (
        <p class="news">
          <Text of={run.headline} />
        </p>
      )}
      {run.examples.length > 0 && <ExampleFailures examples={run.examples} run={index} />}
      <AccuracyTiles accuracy={run.accuracy} />
      <div class="panels">
        {run.outcomes.length > 0 && (
          <Panel title="Outcomes" term="term:outcome">
            <CountTable run={run} index={index} facet="outcome" counts={run.outcomes} />
          </Panel>
        )}
        {run.divergences.length > 0 && (
          <Panel title="First divergence, by what differs and kind of the actual value" term="term:divergence">
            <DivergenceHeatmap run={run} index={index} />
          </Panel>
        )}
        {run.lengths.length > 0 && (
          <Panel title="Accuracy by length of the execution" term="term:difficulty">
            <LengthChart lengths={run.lengths} run={index} by={by} />
          </Panel>
        )}
        {run.survival.length > 0 && (
          <Panel title="Survival curve: predictions without a divergence after n steps" term="term:survival curve">
            <SurvivalChart survival={run.survival} />
          </Panel>
        )}
        {run.one_step_accuracy.length > 0 && <OneStepAccuracy lines={run.one_step_accuracy} />}
        {run.calibration && (
          <Panel title="Calibration: confidence and accuracy" term="term:calibration">
            <CalibrationChart calibration={run.calibration} />
          </Panel>
        )}
        {run.trust && (
          <Panel title="Trust: wrong results by share of trusted results" term="term:trust">
            <TrustView trust={run.trust} />
          </Panel>
        )}
        {run.causes.length > 0 && (
          <Panel title="Causes" term="term:cause" isWide>
            <CauseTable run={run} index={index} />
          </Panel>
        )}
        {run.interventions && (
          <Panel title="Interventions" term="term:intervention" isWide>
            <EffectTables interventions={run.interventions} />
          </Panel>
        )}
        {hasOperations(run) && (
          <Panel title="Operations: correct steps by operation" isWide>
            <OperationsView data={data} run={run} index={index} />
          </Panel>
        )}
        {hasTokenUsage(run) && (
          <Panel title="Cost in tokens" term="term:max tokens" isWide>
            <TokenUsageView data={data} run={run} index={index} />
          </Panel>
        )}
      </div>
    </div>
  );
}

function AccuracyTiles({ accuracy }: { accuracy: Accuracy }) {
  const { questions, samples, no_answer, truncated, infra_error, incorrect } = accuracy;
  const unanswered = no_answer + truncated;
  return (
    <>
      <div class="tiles">
        <ShareTile title="Correct, of all samples" share={accuracy.of_all} />
        <ShareTile title="Correct, of answered samples" share={accuracy.of_answered} />
        <div class="tile">
          <h2>Not answered</h2>
          <p class="big">{formatPercent(samples ? unanswered / samples : null)}</p>
          <p>
            {formatCount(unanswered)} of {formatCount(samples)}: {formatCount(truncated)} truncated by the token limit,{" "}
            {formatCount(no_answer)} ended without an answer
          </p>
        </div>
      </div>
      <p class="note">
        {pluralize(samples, "sample")} of {pluralize(questions, "question")}, {formatCount(incorrect)} answered
        incorrectly.{" "}
        {infra_error > 0 &&
          `${pluralize(infra_error, "infrastructure error")}, excluded from the shares of correct samples.`}
      </p>
    </>
  );
}

/** Share of actual steps that are the model's own first choice; the first line is the title. */
function OneStepAccuracy({ lines: [title = "", ...lines] }: { lines: string[] }) {
  return (
    <Panel title={title} term="term:one-step accuracy" isWide>
      <pre class="lines">
        <Text of={lines.join("\n")} lines />
      </pre>
    </Panel>
  );
}
