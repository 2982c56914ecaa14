/** One sample: two executions of one program, and where they part. */
import { useMemo, useState } from "preact/hooks";
import type { SampleAddress } from "../address";
import type { Attempt, ReportDocument, SampleDocument, Source } from "../contract";
import { useKeys } from "../keys";
import { timeline } from "../lanes";
import { useLoaded } from "../loading";
import { go } from "../navigate";
import { count } from "../numbers";
import { stepOut, stepOver } from "../stepping";
import { Around } from "./around";
import { DivergenceView } from "./divergence";
import { Editor } from "./editor";
import { Lanes } from "./lanes";
import { Guard, Message, Waiting } from "./message";
import { StateTable, Stacks } from "./state";
import { type Move, StepBar, useStep } from "./step-bar";
import { Pieces, Text, Value } from "./text";

interface Props {
  source: Source;
  report: ReportDocument;
  address: SampleAddress;
}

export function SamplePage({ source, report, address }: Props) {
  const { run, id } = address;
  const [sample, again] = useLoaded(`${run} ${id}`, () => source.sample(run, id));
  return (
    <div class="sample">
      <Around source={source} report={report} address={address} />
      {sample.is === "loading" && <Waiting />}
      {sample.is === "failed" && (
        <>
          <h1>
            <bdi class="mono">
              <Text of={id} />
            </bdi>
          </h1>
          <Message text={sample.why} again={again} />
        </>
      )}
      {sample.is === "ready" && (
        <Guard>
          <SampleView sample={sample.value} address={address} />
        </Guard>
      )}
    </div>
  );
}

function SampleView({ sample, address }: { sample: SampleDocument; address: SampleAddress }) {
  const real = useMemo(() => timeline(sample.real), [sample]);
  const imagined = useMemo(() => timeline(sample.imagined), [sample]);
  // The end of the trace is scored, too.
  const length = Math.max(real.length, imagined.length, sample.surprise?.length ?? 0);
  const parting = sample.divergence ? Math.min(sample.divergence.step, Math.max(length - 1, 0)) : null;
  const [step, choose] = useStep(address, parting ?? 0, length);
  const depth = (at: number) => (at < real.length ? real.depth(at) : imagined.depth(at));
  const moves: Move[] = [
    { key: "ArrowLeft", text: "← back", to: step - 1 },
    { key: "ArrowRight", text: "→ step", to: step + 1 },
    { key: "ArrowDown", text: "↓ over", to: stepOver(step, length, depth) },
    { key: "ArrowUp", text: "↑ out", to: stepOut(step, length, depth) },
  ];
  if (parting !== null) moves.push({ key: "d", text: "✗ divergence", to: parting });
  useKeys(Object.fromEntries(moves.map((move) => [move.key, () => choose(move.to)])));
  return (
    <>
      <Head sample={sample} address={address} />
      {length === 0 ? (
        <Message text="There are no steps: nothing was executed or imagined." />
      ) : (
        <>
          <StepBar sample={sample} step={step} length={length} moves={moves} choose={choose} />
          <div class="time">
            <section class="source" aria-label="program">
              <Editor
                source={sample.source}
                real={sample.real.steps[step]?.line ?? null}
                imagined={sample.imagined.steps[step]?.line ?? null}
              />
            </section>
            <Lanes sample={sample} real={real} imagined={imagined} step={step} length={length} choose={choose} />
          </div>
          <div class="panels states">
            <StateTable sample={sample} real={real} imagined={imagined} step={step} />
            <Stacks real={real} imagined={imagined} step={step} />
          </div>
        </>
      )}
      {sample.attempts.length > 0 && <Attempts attempts={sample.attempts} />}
      <Raw title="prompt" text={sample.prompt} />
      <Raw title="reply" text={sample.reply} />
    </>
  );
}

function Head({ sample, address }: { sample: SampleDocument; address: SampleAddress }) {
  const { divergence, outcome, verdict, cause } = sample;
  // A fact of that name says more: what the program returns instead.
  const isTold = sample.facts.some(([name]) => name === "answer");
  return (
    <div class="sample-head">
      <div>
        <h1>
          <bdi class="mono">
            <Text of={sample.id} />
          </bdi>
        </h1>
        <p class="words">
          <Word name="outcome" text={outcome} /> <Word name="verdict" text={verdict} />{" "}
          {cause !== null && <Word name="cause" text={cause} />}
        </p>
        <p class="story plain">
          <Value of={sample.story} />
        </p>
        {divergence && (
          <DivergenceView
            divergence={divergence}
            cuts={sample.cuts}
            byToken={address.tokens}
            choose={(tokens) => go({ ...address, tokens }, { replace: true })}
          />
        )}
      </div>
      <dl class="facts">
        <Fact name="expected" text={sample.expected} isValue />
        {!isTold && <Fact name="answer" text={sample.answer} isValue />}
        {sample.facts.map(([name, text]) => (
          <Fact name={name} text={text} />
        ))}
      </dl>
    </div>
  );
}

function Word({ name, text }: { name: string; text: string }) {
  return (
    <span class="word">
      <span class="soft">{name}</span> <Text of={text} />
    </span>
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
        <Value of={text} />
      </dd>
    </div>
  );
}

function Attempts({ attempts }: { attempts: Attempt[] }) {
  return (
    <section class="panel" aria-label="interventions tried">
      <h2>Interventions tried</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="interventions">
        <table>
          <thead>
            <tr>
              <th scope="col">intervention</th>
              <th scope="col">what it changes</th>
              <th scope="col">what came of it</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map((attempt) => (
              <tr>
                <th scope="row">
                  <Text of={attempt.intervention} />
                </th>
                <td>
                  <Text of={attempt.changes} />
                </td>
                <td class="plain">
                  {attempt.is_right && "✓ "}
                  <Value of={attempt.text} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A text as it was sent or written, drawn only when opened. */
function Raw({ title, text }: { title: string; text: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="raw" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} <span class="soft">{count(text.length)} characters</span>
      </summary>
      {isOpen && (text ? <Pieces of={text} lines /> : <p class="note">empty</p>)}
    </details>
  );
}
