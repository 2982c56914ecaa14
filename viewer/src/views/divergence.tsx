/** The two values that differ at the divergence, compared by token, by character or by structure. */
import { useMemo } from "preact/hooks";
import type { Divergence, ValueTokens } from "../api";
import { type DiffChunk, diffItems, diffText } from "../diff";
import { sliceText } from "../escape";
import { label } from "../labels";
import { pluralize } from "../numberFormat";
import { parseContainer } from "../pythonValue";
import type { ValueView } from "../route";
import { diffContainers, type DiffNode } from "../valueDiff";
import { Defined } from "./defined";
import { DifferenceList, DiffTree } from "./structure";
import { Text } from "./text";
import { Value } from "./value";

/** Characters of equal text shown on each side of a difference. */
const CONTEXT_CHARS = 60;
/** Characters shown of one difference or token. */
const MAX_CHARS = 2_000;
const MAX_CHUNKS = 300;
const MAX_TOKENS = 2_000;
/** Equal tokens shown on each side of a difference. */
const CONTEXT_TOKENS = 20;
const MAX_DIFFERENCES = 200;
const SIDES = ["actual", "predicted"] as const;
const SIDE_TITLES = { actual: "Actual", predicted: "Predicted" };

type Side = (typeof SIDES)[number];

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
  const views = (Object.keys(VIEW_TITLES) as ValueView[]).filter(
    (each) => each === "characters" || (each === "tokens" ? tokens !== null : structure !== null),
  );
  const shown = view !== null && views.includes(view) ? view : (views[0] ?? "characters");
  const { variable, where, differences } = divergence;
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
        <CharacterDiff actual={divergence.actual} predicted={divergence.predicted} />
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

function CharacterDiff({ actual, predicted }: { actual: string; predicted: string }) {
  const chunks = useMemo(() => diffText(actual, predicted), [actual, predicted]);
  return (
    <dl class="pair">
      {SIDES.map((side) => (
        <div>
          <dt>{SIDE_TITLES[side]}</dt>
          <dd>
            <bdi class="value">
              {chunks.slice(0, MAX_CHUNKS).map((chunk, index) => (
                <ChunkView chunk={chunk} side={side} isFirst={index === 0} isLast={index === chunks.length - 1} />
              ))}
              {chunks.length > MAX_CHUNKS && " …"}
            </bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface ChunkProps {
  chunk: DiffChunk<string>;
  side: Side;
  isFirst: boolean;
  isLast: boolean;
}

function ChunkView({ chunk, side, isFirst, isLast }: ChunkProps) {
  const text = chunk[side];
  if (!chunk.isSame) {
    if (text === "")
      return (
        <mark class="missing" title="Missing here">
          ‸
        </mark>
      );
    return (
      <mark>
        <Text of={sliceText(text, 0, MAX_CHARS)} marks="value" />
        {text.length > MAX_CHARS && <Omitted characters={text.length - MAX_CHARS} />}
      </mark>
    );
  }
  if (text.length <= 2 * CONTEXT_CHARS + 20) return <Text of={text} marks="value" />;
  return (
    <>
      {!isFirst && <Text of={sliceText(text, 0, CONTEXT_CHARS)} marks="value" />}
      <Omitted characters={text.length - CONTEXT_CHARS * (isFirst || isLast ? 1 : 2)} />
      {!isLast && <Text of={sliceText(text, text.length - CONTEXT_CHARS, text.length)} marks="value" />}
    </>
  );
}

function Omitted({ characters }: { characters: number }) {
  return <span class="omitted"> … {pluralize(characters, "character")} … </span>;
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
            <dd>
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
