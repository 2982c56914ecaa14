/** Overview of one run: accuracy, outcomes, divergences, causes, tokens. Panels without data are left out. */
import type { ComponentChildren } from "preact";
import type { Accuracy, DataSource, ReportDocument, RunDocument } from "../api";
import type { Term } from "../glossary";
import { runLabel } from "../labels";
import { formatCount, formatPercent, pluralize } from "../numberFormat";
import { CauseTable, EffectTables } from "./causes";
import { CalibrationChart, LengthChart, SurvivalChart } from "./charts";
import { CountTable } from "./countTable";
import { DivergenceHeatmap } from "./divergenceHeatmap";
import { DistributionSummaryView } from "./distributionSummary";
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

/** A panel of the overview; `link` is its name in the list of links. */
interface Section {
  link: string;
  title: string;
  term?: Term;
  isWide?: boolean;
  content: ComponentChildren;
}

export function OverviewPage({ data, report, index, by }: Props) {
  const run = report.runs[index];
  if (!run) return null;
  const sections = fillRows(overviewSections(data, run, index, by));
  return (
    <div class="overview">
      <h1>
        <Text of={runLabel(report, index)} />
      </h1>
      <p class="subtitle">
        <Text of={run.header.join(" · ")} />
      </p>
      <p class="method">
        <Text of={run.method.join(" ")} />
      </p>
      {run.headline !== "" && (
        <p class="news">
          <Text of={run.headline} />
        </p>
      )}
      {run.import_note !== "" && (
        <p class="note import-note">
          <Text of={run.import_note} />
        </p>
      )}
      <AccuracyTiles accuracy={run.accuracy} />
      <JumpLinks names={sections.map(({ link }) => link)} />
      {run.examples.length > 0 && <ExampleFailures run={run} index={index} />}
      <div class="panels">
        {sections.map(({ link, title, term, isWide = false, content }) => (
          <Panel id={sectionId(link)} title={title} isWide={isWide} {...(term && { term })}>
            {content}
          </Panel>
        ))}
      </div>
    </div>
  );
}

const sectionId = (link: string) => `section-${link.toLowerCase()}`;

/** Links to the panels; the URL's hash is the route, so that they scroll instead. */
function JumpLinks({ names }: { names: string[] }) {
  if (names.length < 2) return null;
  return (
    <nav class="jump-links" aria-label="Sections">
      {names.map((name) => (
        <button
          type="button"
          onClick={() => document.getElementById(sectionId(name))?.scrollIntoView({ block: "start" })}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}

/** Makes the last small panel wide if it would be alone in its row. */
export function fillRows<S extends { isWide?: boolean }>(sections: S[]): S[] {
  const small = sections.filter(({ isWide }) => !isWide);
  const last = small.length % 2 ? small.at(-1) : undefined;
  return sections.map((section) => (section === last ? { ...section, isWide: true } : section));
}

/** The panels with data. */
function overviewSections(data: DataSource, run: RunDocument, index: number, by: string | null): Section[] {
  const sections: (Section | false | null)[] = [
    run.survival.length > 0 && {
      link: "Traces",
      title: "Traces: predicted and actual execution",
      term: "term:outcome",
      content: <CountTable run={run} index={index} facet="outcome" counts={run.outcomes} />,
    },
    run.divergences.length > 0 && {
      link: "Divergences",
      title: "First divergence, by what differs and kind of the actual value",
      term: "term:divergence",
      content: <DivergenceHeatmap run={run} index={index} />,
    },
    run.lengths.length > 0 && {
      link: "Length",
      title: "Accuracy by length of the execution",
      term: "term:difficulty",
      content: <LengthChart lengths={run.lengths} run={index} by={by} />,
    },
    run.survival.length > 0 && {
      link: "Survival",
      title: "Survival curve: predictions without a divergence up to step n",
      term: "term:survival curve",
      content: <SurvivalChart survival={run.survival} />,
    },
    run.one_step_accuracy.length > 0 && {
      link: "Scores",
      title: run.one_step_accuracy[0] ?? "",
      term: "term:one-step accuracy",
      isWide: true,
      content: <OneStepAccuracy lines={run.one_step_accuracy.slice(1)} />,
    },
    run.calibration && {
      link: "Calibration",
      title: "Calibration: confidence and accuracy",
      term: "term:calibration",
      content: <CalibrationChart calibration={run.calibration} />,
    },
    run.distributions && {
      link: "Distributions",
      title: "Distributions: repeated answers and exact probabilities",
      isWide: true,
      content: <DistributionSummaryView summary={run.distributions} index={index} />,
    },
    run.trust && {
      link: "Trust",
      title: "Trust: wrong results by share of trusted results",
      term: "term:trust",
      content: <TrustView trust={run.trust} />,
    },
    hasTokenUsage(run) && {
      link: "Cost",
      title: "Cost in tokens",
      term: "term:max tokens",
      content: <TokenUsageView data={data} run={run} index={index} />,
    },
    run.causes.length > 0 && {
      link: "Causes",
      title: "Causes",
      term: "term:cause",
      isWide: true,
      content: <CauseTable run={run} index={index} />,
    },
    run.interventions && {
      link: "Interventions",
      title: "Interventions",
      term: "term:intervention",
      isWide: true,
      content: <EffectTables interventions={run.interventions} />,
    },
    hasOperations(run) && {
      link: "Operations",
      title: "Operations: correct steps by operation",
      isWide: true,
      content: <OperationsView data={data} run={run} index={index} />,
    },
  ];
  return sections.filter((section): section is Section => Boolean(section));
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

/** Share of actual steps that are the model's own first choice. */
function OneStepAccuracy({ lines }: { lines: string[] }) {
  return (
    <pre class="lines">
      <Text of={lines.join("\n")} lines />
    </pre>
  );
}
