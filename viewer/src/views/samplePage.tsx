/** One sample: the actual and the predicted execution of its program, and their divergence. */
import { useMemo, useState } from "preact/hooks";
import type { Attempt, DataSource, ReportDocument, SampleDocument } from "../api";
import { trustText } from "./trust";
import { label } from "../labels";
import { navigate } from "../navigation";
import { pluralize } from "../numberFormat";
import type { SampleRoute } from "../route";
import { useShortcuts } from "../shortcuts";
import { stepOut, stepOver } from "../stepNavigation";
import { buildTimeline } from "../timeline";
import { useAsync } from "../useAsync";
import { Badge } from "./badge";
import { CopyMenu } from "./copyMenu";
import { DivergenceView } from "./divergence";
import { ErrorBoundary, Loading, Message } from "./message";
import { ReasonView } from "./reason";
import { SampleNav } from "./sampleNav";
import { SourceView } from "./sourceView";
import { CallStacks, StateTable } from "./stateTable";
import { type Move, StepBar, useStep } from "./stepBar";
import { PagedText, Text } from "./text";
import { TimelineView } from "./timelineView";
import { Value } from "./value";

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
          <SampleView sample={sample.value} route={route} />
        </ErrorBoundary>
      )}
    </div>
  );
}

function SampleView({ sample, route }: { sample: SampleDocument; route: SampleRoute }) {
  const actual = useMemo(() => buildTimeline(sample.actual), [sample]);
  const predicted = useMemo(() => buildTimeline(sample.predicted), [sample]);
  // The NLL has one more entry: the end of the trace is scored too.
  const length = Math.max(actual.length, predicted.length, sample.nll?.length ?? 0);
  const divergenceStep = sample.divergence ? Math.min(sample.divergence.step, Math.max(length - 1, 0)) : null;
  // A truncated output is opened where its text ends.
  const lastPredicted = sample.outcome === "truncated" ? Math.max(predicted.length - 1, 0) : 0;
  const [step, choose] = useStep(route, divergenceStep ?? lastPredicted, length);
  const depth = (index: number) => (index < actual.length ? actual.depth(index) : predicted.depth(index));
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
      {length === 0 ? (
        <Message text="This sample has no steps: its program was not executed, and no step was predicted." />
      ) : (
        <>
          <StepBar sample={sample} step={step} length={length} moves={moves} choose={choose} />
          <div class="executions">
            <section class="source" aria-label="Program">
              <SourceView
                source={sample.source}
                language={sample.language ?? "python"}
                actual={sample.actual.steps[step]?.line ?? null}
                predicted={sample.predicted.steps[step]?.line ?? null}
              />
            </section>
            <TimelineView
              sample={sample}
              actual={actual}
              predicted={predicted}
              step={step}
              length={length}
              choose={choose}
            />
          </div>
          <div class="panels states">
            <StateTable sample={sample} actual={actual} predicted={predicted} step={step} />
            <CallStacks actual={actual} predicted={predicted} step={step} />
          </div>
        </>
      )}
      {sample.attempts.length > 0 && <Attempts attempts={sample.attempts} />}
      {sample.prompt !== "" && <RawText title="Prompt" text={sample.prompt} />}
      <RawText title="Output" text={sample.output} />
    </>
  );
}

function Head({ sample, route }: { sample: SampleDocument; route: SampleRoute }) {
  const { divergence, outcome, verdict, cause } = sample;
  // The diagnosis has a fact of that name if the answer is not the result; it contains the answer.
  const hasAnswerFact = sample.facts.some(([name]) => name === "answer");
  return (
    <div class="sample-head">
      <div>
        <h1>
          <bdi class="mono">
            <Text of={sample.id} />
          </bdi>
        </h1>
        <p class="badges">
          <Badge of={verdict} title="Verdict" term={`verdict:${verdict}`} isFocusable />
          {outcome !== verdict && <Badge of={outcome} title="Outcome" term={`outcome:${outcome}`} isFocusable />}
          {cause !== null && <Badge of={cause} title="Cause" term={`cause:${cause}`} isFocusable />}
        </p>
        <p class="summary plain">
          <Value of={sample.summary} marks="sentence" />
        </p>
        {divergence && (
          <DivergenceView
            divergence={divergence}
            tokens={sample.value_tokens}
            view={route.view ?? null}
            choose={(view) => navigate({ ...route, view }, { replace: true })}
          />
        )}
      </div>
      <ReasonView sample={sample} />
      <dl class="facts">
        <Fact name="expected" text={sample.expected} isValue />
        {!hasAnswerFact && <Fact name="answer" text={sample.answer} isValue />}
        {sample.trust && <Fact name="trust" text={trustText(sample.trust)} />}
        {sample.facts.map(([name, text]) => (
          <Fact name={name} text={text} />
        ))}
      </dl>
    </div>
  );
}

function Fact({ name, text, isValue = false }: { name: string; text: string | null; isValue?: boolean }) {
  if (text === null) return null;
  return (
    <div>
      <dt>
        <Text of={name} />
      </dt>
      <dd class={isValue ? undefined : "plain"}>
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
