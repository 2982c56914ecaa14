/** One sample: the actual and the predicted execution of its program, and their divergence. */
import { useMemo, useState } from "preact/hooks";
import type { Attempt, DataSource, Possibility, ReportDocument, ResultDistribution, SampleDocument } from "../api";
import { trustText } from "./trust";
import { label } from "../labels";
import { buildLanes } from "../lanes";
import { navigate } from "../navigation";
import { pluralize } from "../numberFormat";
import type { SampleRoute } from "../route";
import { useShortcuts } from "../shortcuts";
import { stepOut, stepOver } from "../stepNavigation";
import { buildTimeline } from "../timeline";
import { useAsync } from "../useAsync";
import { compareSides, differsInSpaces } from "../valueSpaces";
import { Badge } from "./badge";
import { CopyMenu } from "./copyMenu";
import { DistributionView } from "./distributionView";
import { DivergenceView } from "./divergence";
import { ErrorBoundary, Loading, Message } from "./message";
import { ReasonView } from "./reason";
import { SampleNav } from "./sampleNav";
import { SourceView } from "./sourceView";
import { CallStacks, StateTable } from "./stateTable";
import { type Move, StepBar, useStep } from "./stepBar";
import { AllSpaces, PagedText, Text } from "./text";
import { ThreadsPanel } from "./threadsPanel";
import { TimelineView } from "./timelineView";
import { Value } from "./value";

/** Facts that are shown on request. */
const FOLDED_FACTS = new Set(["position", "decisive"]);

interface Props {
  data: DataSource;
  report: ReportDocument;
  route: SampleRoute;
}

export function SamplePage({ data, report, route }: Props) {
  const { run, id } = route;
  const [sample, retry] = useAsync(`${run} ${id}`, () => data.sample(run, id));
  return (
    <div class="sample">
      <div class="sample-bar">
        <SampleNav data={data} report={report} route={route} />
        {sample.status === "ready" && (
          <CopyMenu sample={sample.value} run={report.runs[run]?.name ?? ""} version={report.worldline} />
        )}
      </div>
      {sample.status === "loading" && <Loading />}
      {sample.status === "error" && (
        <>
          <h1>
            <bdi class="mono">
              <Text of={id} />
            </bdi>
          </h1>
          <Message text={sample.message} retry={retry} />
        </>
      )}
      {sample.status === "ready" && (
        <ErrorBoundary>
          <AllSpaces.Provider value={hasSpaceDifference(sample.value)}>
            <SampleView sample={sample.value} route={route} />
          </AllSpaces.Provider>
        </ErrorBoundary>
      )}
    </div>
  );
}

/** Whether the two values of the divergence, or the two results, differ in spaces. */
function hasSpaceDifference({ divergence, expected, answer, verdict }: SampleDocument): boolean {
  if (verdict === "incorrect" && expected !== null && answer !== null && differsInSpaces(expected, answer)) return true;
  if (divergence === null) return false;
  return compareSides(divergence.where, divergence.actual, divergence.predicted).marks === "spaces";
}

export function SampleView({ sample, route }: { sample: SampleDocument; route: SampleRoute }) {
  const actual = useMemo(() => buildTimeline(sample.actual), [sample]);
  const predicted = useMemo(() => buildTimeline(sample.predicted), [sample]);
  // The NLL has one more entry: the end of the trace is scored too.
  const lanes = useMemo(() => buildLanes(sample.actual), [sample]);
  const length = Math.max(actual.length, predicted.length, sample.nll?.length ?? 0);
  // If only the result was asked for, no step differs but the last one, which returns it or raises.
  const differsInSteps = sample.divergence !== null && !["return", "exception"].includes(sample.divergence.where);
  const hasPredicted = predicted.length > 0 || sample.nll !== null || differsInSteps;
  const divergenceStep = sample.divergence ? Math.min(sample.divergence.step, Math.max(length - 1, 0)) : null;
  // A truncated output is opened where its text ends.
  const lastPredicted = sample.outcome === "truncated" ? Math.max(predicted.length - 1, 0) : 0;
  const [step, choose] = useStep(route, divergenceStep ?? lastPredicted, length);
  // Steps of other threads are passed over, as if they were in a deeper call.
  const isOtherThread = (index: number) => lanes !== null && lanes.threadOf(index) !== lanes.threadOf(step);
  const depth = (index: number) =>
    index >= actual.length ? predicted.depth(index) : isOtherThread(index) ? Infinity : actual.depth(index);
  const moves: Move[] = [
    { key: "ArrowLeft", text: "← Back", title: "Previous step (key ←)", to: step - 1 },
    { key: "ArrowRight", text: "→ Step", title: "Next step (key →)", to: step + 1 },
    { key: "ArrowDown", text: "↓ Over", title: "Step over (key ↓)", to: stepOver(step, length, depth) },
    { key: "ArrowUp", text: "↑ Out", title: "Step out (key ↑)", to: stepOut(step, length, depth) },
  ];
  if (divergenceStep !== null)
    moves.push({ key: "d", text: "✗ Divergence", title: "Go to the divergence (key d)", to: divergenceStep });
  useShortcuts(Object.fromEntries(moves.map((move) => [move.key, () => choose(move.to)])));
  return (
    <>
      <Head sample={sample} route={route} />
      {sample.distribution && <DistributionView distribution={sample.distribution} />}
      {length === 0 ? (
        <Message text="This sample has no steps: its program was not executed, and no step was predicted." />
      ) : (
        <>
          <StepBar sample={sample} step={step} length={length} moves={moves} lanes={lanes} choose={choose} />
          <div class="executions">
            <section class="source" aria-label="Program">
              <SourceView
                source={sample.source}
                language={sample.language ?? "python"}
                actual={sample.actual.steps[step]?.line ?? null}
                predicted={sample.predicted.steps[step]?.line ?? null}
                cause={sample.divergence?.executed_line ?? null}
              />
            </section>
            <TimelineView
              sample={sample}
              actual={actual}
              predicted={predicted}
              step={step}
              length={length}
              lanes={lanes}
              hasPredicted={hasPredicted}
              choose={choose}
            />
          </div>
          <div class="panels states">
            {lanes && <ThreadsPanel sample={sample} lanes={lanes} actual={actual} step={step} choose={choose} />}
            <StateTable sample={sample} actual={actual} predicted={predicted} step={step} hasPredicted={hasPredicted} />
            <CallStacks actual={actual} predicted={predicted} step={step} hasPredicted={hasPredicted} />
          </div>
        </>
      )}
      {sample.attempts.length > 0 && <Attempts attempts={sample.attempts} />}
    </>
  );
}

function Head({ sample, route }: { sample: SampleDocument; route: SampleRoute }) {
  const { divergence, outcome, verdict, cause, possibility } = sample;
  return (
    <div class="sample-head">
      <div>
        <h1>
          <bdi class="mono">
            <Text of={sample.id} />
          </bdi>
        </h1>
        <p class="badges">
          <Badge of={verdict} column="verdict" title="Answer" term={`verdict:${verdict}`} isFocusable />
          <Badge of={outcome} column="outcome" title="Trace" term={`outcome:${outcome}`} isFocusable />
          {cause !== null && <Badge of={cause} column="cause" title="Cause" term={`cause:${cause}`} isFocusable />}
          {possibility && (
            <Badge of={possibility.outcome} column="possibility" title="Possibility" term="term:possible" isFocusable />
          )}
        </p>
        <p class="summary plain">
          <Value of={sample.summary} marks="sentence" />
          {divergence !== null && verdict === "truncated" && sample.answer === null && (
            <span class="muted">; then continues until the token limit; no answer</span>
          )}
        </p>
        {possibility && (possibility.reason !== "" || possibility.sentence !== sample.summary) && (
          <p class="possibility">
            {possibility.sentence !== sample.summary && possibility.sentence}
            {possibility.reason !== "" && (
              <>
                {" "}
                <span class="muted">
                  <Text of={possibility.reason} />
                </span>
              </>
            )}
          </p>
        )}
        <div class="raw-texts">
          <RawText title="Model output" text={sample.output} />
          {sample.prompt !== "" && <RawText title="Prompt" text={sample.prompt} />}
        </div>
        {divergence && (
          <DivergenceView
            divergence={divergence}
            tokens={sample.value_tokens}
            view={route.view ?? null}
            choose={(view) => navigate({ ...route, view }, { replace: true })}
          />
        )}
        <Results sample={sample} />
      </div>
      <ReasonView sample={sample} />
      <Facts sample={sample} />
    </div>
  );
}

/** Why there is no answer, by the verdict. */
const NO_ANSWERS: Record<string, string> = { truncated: "none (truncated)", no_answer: "none" };

/** The result that the benchmark expects, and the model's answer; of a program with choices, also the actual result. */
function Results({ sample }: { sample: SampleDocument }) {
  const { expected, answer, verdict, distribution, possibility } = sample;
  if (expected === null && answer === null) return null;
  const side = verdict === "correct" ? "actual-side" : verdict === "incorrect" ? "predicted-side" : undefined;
  const last = sample.actual.steps.at(-1);
  // Only the result was asked for: no step shows it next to the actual one.
  const isOnlyResult = possibility !== null && sample.predicted.steps.length === 0;
  return (
    <dl class="results">
      {isOnlyResult && last?.event === "return" && <Fact name="actual result" text={last.value} isValue />}
      {distribution ? (
        <Fact name="expected result" text={expectedText(distribution)} />
      ) : (
        <Fact name="expected result" text={expected} isValue />
      )}
      {answer === null ? (
        <Fact name="answer" text={NO_ANSWERS[verdict] ?? null} style="muted plain" />
      ) : (
        <Fact name={isOnlyResult ? "predicted result" : "answer"} text={answer} isValue style={side} />
      )}
      {isOnlyResult && !distribution && <Fact name="possible results" text={possibleText(possibility)} />}
    </dl>
  );
}

/** What is known of the results that the program can have. */
function possibleText({ outcome, reason, sentence }: Possibility): string {
  return outcome === "possible" ? "The predicted result is one of them." : reason || sentence;
}

/** "one of 11 possible results" */
function expectedText({ possible }: ResultDistribution): string {
  return `one of ${pluralize(possible, "possible result")}`;
}

/** The facts of the diagnosis; those that explain it least are folded. */
function Facts({ sample }: { sample: SampleDocument }) {
  const names = new Set(sample.facts.map(([name]) => name));
  // The answer is next to the expected result, which is that of the program unless the reference is wrong.
  const hasResult = sample.expected !== null && !names.has("reference");
  const isFolded = ([name]: [string, string]) => FOLDED_FACTS.has(name) || (name === "answer" && hasResult);
  const folded = sample.facts.filter(isFolded);
  return (
    <div class="facts-box">
      <dl class="facts">
        {sample.trust && <Fact name="trust" text={trustText(sample.trust)} />}
        {sample.facts
          .filter((fact) => !isFolded(fact))
          .map(([name, text]) => (
            <Fact name={name} text={text} />
          ))}
      </dl>
      {folded.length > 0 && (
        <details>
          <summary>More facts</summary>
          <dl class="facts">
            {folded.map(([name, text]) => (
              <Fact name={name} text={text} />
            ))}
          </dl>
        </details>
      )}
    </div>
  );
}

interface FactProps {
  name: string;
  text: string | null;
  isValue?: boolean;
  /** The class of the text. */
  style?: string | undefined;
}

function Fact({ name, text, isValue = false, style = isValue ? undefined : "plain" }: FactProps) {
  if (text === null) return null;
  return (
    <div>
      <dt>
        <Text of={name} />
      </dt>
      <dd class={style}>
        <Value of={text} marks={isValue ? "value" : name === "answer" ? "sentence" : undefined} />
      </dd>
    </div>
  );
}

function Attempts({ attempts }: { attempts: Attempt[] }) {
  return (
    <section class="panel" aria-label="Interventions tried">
      <h2>Interventions tried</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Table of interventions">
        <table>
          <thead>
            <tr>
              <th scope="col">Intervention</th>
              <th scope="col">What it changes</th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => (
              <tr>
                <th scope="row">
                  <Text of={label(attempt.intervention)} />
                </th>
                <td>
                  <Text of={attempt.description} />
                </td>
                <td class="plain">
                  {attempt.is_correct && "✓ "}
                  <Value of={attempt.result} marks="sentence" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** An unmodified text, rendered when it is opened. */
function RawText({ title, text }: { title: string; text: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} <span class="muted">{pluralize(text.length, "character")}</span>
      </summary>
      {isOpen && (text ? <PagedText of={text} lines /> : <p class="note">Empty.</p>)}
    </details>
  );
}
