/** Cards of the most frequent causes: the line, the actual and the predicted value of one sample, and how many there are. */
import type { CauseCount, ExampleFailure, RunDocument } from "../api";
import { causeLabel, label } from "../labels";
import { formatCount, pluralize } from "../numberFormat";
import { toHash } from "../route";
import { Badge } from "./badge";
import { hypothesisText } from "./causes";
import { Defined } from "./defined";
import { FacetLink } from "./elements";
import { Text } from "./text";
import { LabelledChange } from "./valueChange";

const MAX_LINE_CHARS = 200;

export function ExampleFailures({ run, index }: { run: RunDocument; index: number }) {
  return (
    <section aria-labelledby="failures-title">
      <h2 id="failures-title" class="cards-title">
        Frequent causes of divergences
      </h2>
      <p class="note">{coverageText(run)}</p>
      <div class="cards">
        {run.examples.map((example) => (
          <Card example={example} run={run} index={index} />
        ))}
      </div>
    </section>
  );
}

/** "These 3 causes have 78 of the 161 divergences. Each is a hypothesis from the two executions; …" */
export function coverageText({ examples, causes }: Pick<RunDocument, "examples" | "causes">): string {
  const covered = examples.reduce((sum, { count }) => sum + count, 0);
  const whole = formatCount(examples[0]?.divergences ?? 0);
  const start = examples.length === 1 ? "This cause has" : `These ${examples.length} causes have`;
  return `${start} ${formatCount(covered)} of the ${whole} divergences. ${hypothesisText(causes)}`;
}

/** "confirmed 4, refuted 1" by interventions; "" if none was tried on the cause. */
export function testsText({ confirmed, refuted }: Pick<CauseCount, "confirmed" | "refuted">): string {
  if (!confirmed && !refuted) return "";
  return `Interventions: confirmed ${formatCount(confirmed?.correct ?? 0)}, refuted ${formatCount(refuted?.correct ?? 0)}`;
}

interface CardProps {
  example: ExampleFailure;
  run: RunDocument;
  index: number;
}

function Card({ example, run, index }: CardProps) {
  const { id, line, where, variable, verdict, cause, sentence, step, count, divergences } = example;
  // A sample without a divergence can have the same cause.
  const counted = run.causes.find(({ name }) => name === cause);
  const samples = counted?.count ?? count;
  const tests = counted ? testsText(counted) : "";
  return (
    <article class="card">
      <p class="card-head">
        <strong>
          <Defined term={`cause:${cause}`}>
            <Text of={causeLabel(cause)} />
          </Defined>
        </strong>
        <span class="muted">
          {formatCount(count)} of {pluralize(divergences, "divergence")}: <Text of={sentence} />
        </span>
        {tests !== "" && <span class="muted">{tests}</span>}
      </p>
      <pre class="card-line">
        <bdi>
          <Text of={line.slice(0, MAX_LINE_CHARS)} />
        </bdi>
      </pre>
      <p class="muted">
        {variable === null ? (
          <Text of={label(where)} />
        ) : (
          <code>
            <Text of={variable} />
          </code>
        )}{" "}
        at step {step}
      </p>
      <LabelledChange actual={example.actual} predicted={example.predicted} where={where} />
      <p class="card-foot">
        <a href={toHash({ page: "sample", run: index, id, step: null })}>
          <bdi>
            <Text of={id} />
          </bdi>
        </a>
        <Badge of={verdict} column="verdict" title="Answer" term={`verdict:${verdict}`} />
        {samples > 1 && (
          <span class="all-samples">
            <FacetLink run={run} index={index} facets={{ cause }} text={`All ${pluralize(samples, "sample")}`} />
          </span>
        )}
      </p>
    </article>
  );
}
