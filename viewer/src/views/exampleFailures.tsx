/** Cards of typical failures: the line, the value struck out, the actual one, and why. */
import type { ExampleFailure } from "../api";
import { label } from "../labels";
import { toHash } from "../route";
import { Defined } from "./defined";
import { Text } from "./text";
import { ValueChange } from "./valueChange";

const MAX_LINE_CHARS = 200;

export function ExampleFailures({ examples, run }: { examples: ExampleFailure[]; run: number }) {
  return (
    <section class="cards" aria-label="Typical failures">
      {examples.map((example) => (
        <Card example={example} run={run} />
      ))}
    </section>
  );
}

function Card({ example, run }: { example: ExampleFailure; run: number }) {
  const { id, line, where, variable, cause, sentence, step } = example;
  return (
    <article class="card">
      <p class="card-head">
        <strong>
          <Defined term={`cause:${cause}`}>
            <Text of={label(cause)} />
          </Defined>
        </strong>
        <span class="muted">
          <Text of={sentence} />
        </span>
      </p>
      <pre class="card-line">
        <bdi>
          <Text of={line.slice(0, MAX_LINE_CHARS)} />
        </bdi>
      </pre>
      <p class="card-change">
        <span class="muted">{variable === null ? <Text of={label(where)} /> : <Text of={variable} />}</span>{" "}
        <ValueChange actual={example.actual} predicted={example.predicted} />
      </p>
      <p class="card-foot">
        <a href={toHash({ page: "sample", run, id, step: null })}>
          <bdi>
            <Text of={id} />
          </bdi>
        </a>
        <span class="muted">step {step}</span>
      </p>
    </article>
  );
}
