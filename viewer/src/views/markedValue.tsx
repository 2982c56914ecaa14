/** One of two values that differ: what differs is marked, and long equal parts are left out. */
import type { DiffChunk } from "../diff";
import { sliceText } from "../escape";
import { pluralize } from "../numberFormat";
import { Text } from "./text";

/** Characters of equal text shown on each side of a difference. */
const CONTEXT_CHARS = 60;
/** Characters shown of one difference or token. */
export const MAX_CHARS = 2_000;
const MAX_CHUNKS = 300;

/** The two executions, in the order in which they are shown. */
export const SIDES = ["actual", "predicted"] as const;
export const SIDE_TITLES = { actual: "Actual", predicted: "Predicted" };
export type Side = (typeof SIDES)[number];

/** The value of one side of a difference. */
export function MarkedValue({ chunks, side }: { chunks: DiffChunk<string>[]; side: Side }) {
  return (
    <bdi class="value">
      {chunks.slice(0, MAX_CHUNKS).map((chunk, index) => (
        <ChunkView chunk={chunk} side={side} isFirst={index === 0} isLast={index === chunks.length - 1} />
      ))}
      {chunks.length > MAX_CHUNKS && " …"}
    </bdi>
  );
}

/** Where the other value has more: a drawn caret, which is not part of the text when it is copied. */
export function Missing() {
  return <mark class="missing" role="img" aria-label="Nothing here" title="Nothing here" />;
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
    if (text === "") return <Missing />;
    return (
      <mark>
        <Text of={sliceText(text, 0, MAX_CHARS)} marks="value" />
        {text.length > MAX_CHARS && <Omitted characters={text.length - MAX_CHARS} />}
      </mark>
    );
  }
  if (text.length <= 2 * CONTEXT_CHARS + 20) return <Text of={text} marks="lookalikes" />;
  return (
    <>
      {!isFirst && <Text of={sliceText(text, 0, CONTEXT_CHARS)} marks="lookalikes" />}
      <Omitted characters={text.length - CONTEXT_CHARS * (isFirst || isLast ? 1 : 2)} />
      {!isLast && <Text of={sliceText(text, text.length - CONTEXT_CHARS, text.length)} marks="lookalikes" />}
    </>
  );
}

function Omitted({ characters }: { characters: number }) {
  return <span class="omitted"> … {pluralize(characters, "character")} … </span>;
}
