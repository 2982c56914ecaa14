/** The two values that differ at the divergence, compared by character or by token. */
import { useMemo } from "preact/hooks";
import type { Divergence, ValueTokens } from "../api";
import { type DiffChunk, diffItems, diffText } from "../diff";
import { sliceText } from "../escape";
import { label } from "../labels";
import { pluralize } from "../numberFormat";
import { Text, Value } from "./text";

/** Characters of equal text shown on each side of a difference. */
const CONTEXT_CHARS = 60;
/** Characters shown of one difference or token. */
const MAX_CHARS = 2_000;
const MAX_CHUNKS = 300;
const MAX_TOKENS = 2_000;
const MAX_DIFFERENCES = 200;
const SIDES = ["actual", "predicted"] as const;
const SIDE_TITLES = { actual: "Actual", predicted: "Predicted" };

type Side = (typeof SIDES)[number];

interface Props {
  divergence: Divergence;
  tokens: ValueTokens | null;
  byToken: boolean;
  choose: (byToken: boolean) => void;
}

export function DivergenceView({ divergence, tokens, byToken, choose }: Props) {
  const { variable, where, differences } = divergence;
  const others = differences.filter((difference) => difference.name !== variable);
  return (
    <section class="divergence" aria-label="Divergence">
      <h2>
        ✗ Divergence at step {divergence.step}: <Text of={label(where)} />{" "}
        {variable !== null && (
          <code>
            <Text of={variable} />
          </code>
        )}
      </h2>
      {tokens && (
        <div class="switch" role="group" aria-label="Compare by">
          <button type="button" aria-pressed={!byToken} onClick={() => choose(false)}>
            By character
          </button>
          <button type="button" aria-pressed={byToken} onClick={() => choose(true)}>
            By token
          </button>
        </div>
      )}
      {tokens && byToken ? (
        <TokenDiff tokens={tokens} />
      ) : (
        <CharacterDiff actual={divergence.actual} predicted={divergence.predicted} />
      )}
      {others.length > 0 && <OtherDifferences differences={others} />}
    </section>
  );
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
  const tokens = chunks.flatMap((chunk) => chunk[side].map((text) => ({ text, isSame: chunk.isSame })));
  return (
    <bdi class="value">
      {tokens.slice(0, MAX_TOKENS).map(({ text, isSame }) =>
        isSame ? (
          <span class="token">
            <Text of={sliceText(text, 0, MAX_CHARS)} marks="value" />
          </span>
        ) : (
          <mark class="token">
            <Text of={sliceText(text, 0, MAX_CHARS)} marks="value" />
          </mark>
        ),
      )}
      {tokens.length > MAX_TOKENS && <span class="omitted"> … {pluralize(tokens.length - MAX_TOKENS, "token")}</span>}
    </bdi>
  );
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
