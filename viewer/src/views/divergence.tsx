/** The two values that differ at the divergence, compared by token, by character or by structure. */
import { useMemo } from "preact/hooks";
import type { Divergence, ValueTokens } from "../api";
import { type DiffChunk, diffItems } from "../diff";
import { sliceText } from "../escape";
import { label } from "../labels";
import { pluralize } from "../numberFormat";
import { parseContainer } from "../pythonValue";
import type { ValueView } from "../route";
import { diffContainers, type DiffNode } from "../valueDiff";
import { areOtherLines, compareSides } from "../valueSpaces";
import { Defined } from "./defined";
import { MarkedValue, MAX_CHARS, Missing, type Side, SIDE_TITLES, SIDES } from "./markedValue";
import { DifferenceList, DiffTree } from "./structure";
import { Text } from "./text";
import { Value } from "./value";

const MAX_TOKENS = 2_000;
/** Equal tokens shown on each side of a difference. */
const CONTEXT_TOKENS = 20;
const MAX_DIFFERENCES = 200;

interface Props {
  divergence: Divergence;
  tokens: ValueTokens | null;
  /** Null: the default, which is by token if a tokenizer is known. */
  view: ValueView | null;
  choose: (view: ValueView) => void;
}

const VIEW_TITLES: Record<ValueView, string> = {
  tokens: "By token",
  characters: "By character",
  structure: "By structure",
};

export function DivergenceView({ divergence, tokens, view, choose }: Props) {
  const structure = useMemo(() => diffStructure(divergence), [divergence]);
  const { variable, where, differences } = divergence;
  const isWhole = areOtherLines(where, divergence.actual, divergence.predicted);
  const views = (Object.keys(VIEW_TITLES) as ValueView[]).filter(
    (each) => !isWhole && (each === "characters" || (each === "tokens" ? tokens !== null : structure !== null)),
  );
  const shown = view !== null && views.includes(view) ? view : (views[0] ?? "characters");
  const others = differences.filter((difference) => difference.name !== variable);
  return (
    <section class="divergence" aria-label="Divergence">
      <h2>
        ✗ <Defined term="term:divergence">Divergence</Defined> at step {divergence.step}:{" "}
        <Defined term={`differs_in:${where}`}>
          <Text of={label(where)} />
        </Defined>{" "}
        {variable !== null && (
          <code>
            <Text of={variable} />
          </code>
        )}
      </h2>
      {views.length > 1 && (
        <div class="switch" role="group" aria-label="Compare">
          {views.map((each) => (
            <button type="button" aria-pressed={each === shown} onClick={() => choose(each)}>
              {VIEW_TITLES[each]}
            </button>
          ))}
        </div>
      )}
      {structure && <DifferenceList of={structure} />}
      {shown === "structure" && structure ? (
        <DiffTree of={structure} />
      ) : shown === "tokens" && tokens ? (
        <TokenDiff tokens={tokens} />
      ) : (
        <CharacterDiff divergence={divergence} />
      )}
      {others.length > 0 && <OtherDifferences differences={others} />}
    </section>
  );
}

/** The difference of two containers; null if the values are none, or of different kinds. */
function diffStructure({ actual, predicted }: Divergence): DiffNode | null {
  const [ours, theirs] = [parseContainer(actual), parseContainer(predicted)];
  const node = ours && theirs && diffContainers(ours, theirs);
  return node?.children ? node : null;
}

function CharacterDiff({ divergence }: { divergence: Divergence }) {
  const { where, actual, predicted } = divergence;
  const { chunks } = useMemo(() => compareSides(where, actual, predicted), [where, actual, predicted]);
  return (
    <dl class="pair">
      {SIDES.map((side) => (
        <div>
          <dt>{SIDE_TITLES[side]}</dt>
          <dd class={`${side}-side`}>
            {(side === "actual" ? actual : predicted) === "" ? (
              <span class="muted">nothing</span>
            ) : (
              <MarkedValue chunks={chunks} side={side} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TokenDiff({ tokens }: { tokens: ValueTokens }) {
  const chunks = useMemo(() => diffItems(tokens.actual, tokens.predicted), [tokens]);
  return (
    <>
      <dl class="pair">
        {SIDES.map((side) => (
          <div>
            <dt>
              {SIDE_TITLES[side]} <span class="muted">{pluralize(tokens[side].length, "token")}</span>
            </dt>
            <dd class={`${side}-side`}>
              <TokenList chunks={chunks} side={side} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="note">
        Tokens of the tokenizer <Text of={tokens.tokenizer} />.
      </p>
    </>
  );
}

function TokenList({ chunks, side }: { chunks: DiffChunk<string[]>[]; side: Side }) {
  let left = MAX_TOKENS;
  const parts = chunks.flatMap((chunk, index) => {
    const [isFirst, isLast] = [index === 0, index === chunks.length - 1];
    const tokens = chunk[side];
    if (tokens.length === 0) return [<Missing />];
    const before = isFirst ? 0 : CONTEXT_TOKENS;
    const after = isLast ? 0 : CONTEXT_TOKENS;
    const omitted = chunk.isSame ? tokens.length - before - after : 0;
    const isOmitted = omitted > CONTEXT_TOKENS;
    const start = isOmitted ? tokens.slice(0, before) : tokens;
    const end = isOmitted ? tokens.slice(tokens.length - after) : [];
    const render = (text: string) => (left-- > 0 ? <Token text={text} isSame={chunk.isSame} /> : null);
    return [...start.map(render), isOmitted && <OmittedTokens tokens={omitted} />, ...end.map(render)];
  });
  return (
    <bdi class="value">
      {parts}
      {left < 0 && <OmittedTokens tokens={-left} />}
    </bdi>
  );
}

function Token({ text, isSame }: { text: string; isSame: boolean }) {
  const shown = <Text of={sliceText(text, 0, MAX_CHARS)} marks="value" />;
  return isSame ? <span class="token">{shown}</span> : <mark class="token">{shown}</mark>;
}

function OmittedTokens({ tokens }: { tokens: number }) {
  return <span class="omitted"> … {pluralize(tokens, "token")} … </span>;
}

function OtherDifferences({ differences }: { differences: Divergence["differences"] }) {
  return (
    <details>
      <summary>{pluralize(differences.length, "more difference")} at this step</summary>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="More differences at this step">
        <table class="state">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Actual</th>
              <th scope="col">Predicted</th>
            </tr>
          </thead>
          <tbody>
            {differences.slice(0, MAX_DIFFERENCES).map(({ name, actual, predicted }) => (
              <tr>
                <th scope="row">
                  <Text of={name} />
                </th>
                <td>{actual === null ? "not set" : <Value of={actual} marks="value" />}</td>
                <td>{predicted === null ? "not set" : <Value of={predicted} marks="value" />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
