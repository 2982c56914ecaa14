/** Text from documents: always shown through here, with what is hidden in it made visible. */
import { useState } from "preact/hooks";
import { count } from "../numbers";
import { parts, slice } from "../visible";

/** Longer values are folded. */
const FOLD = 160;
/** So much of an open value is shown at once. */
const PIECE = 4_000;

export function Text({ of, lines = false }: { of: string; lines?: boolean }) {
  return (
    <>{parts(of, { lines }).map((part) => (part.isEscape ? <span class="escape">{part.text}</span> : part.text))}</>
  );
}

/** A value of a program: short, or folded with a button that opens it piece by piece. */
export function Value({ of }: { of: string }) {
  const [isOpen, setOpen] = useState(false);
  if (of.length <= FOLD)
    return (
      <bdi class="value">
        <Text of={of} />
      </bdi>
    );
  return (
    <>
      {isOpen ? (
        <Pieces of={of} />
      ) : (
        <bdi class="value">
          <Text of={slice(of, 0, FOLD)} />…
        </bdi>
      )}{" "}
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "fold" : `all ${count(of.length)} characters`}
      </button>
    </>
  );
}

/** A long text, a piece at a time. */
export function Pieces({ of, lines = false }: { of: string; lines?: boolean }) {
  const [at, setAt] = useState(0);
  const last = Math.max(Math.ceil(of.length / PIECE) - 1, 0);
  const piece = Math.min(at, last);
  const [from, to] = [piece * PIECE, Math.min((piece + 1) * PIECE, of.length)];
  return (
    <>
      <bdi class={lines ? "value lines" : "value"}>
        <Text of={slice(of, from, to)} lines={lines} />
      </bdi>
      {last > 0 && (
        <span class="pieces">
          <button type="button" class="small" disabled={piece === 0} onClick={() => setAt(piece - 1)}>
            piece before
          </button>
          <span role="status">
            characters {count(from + 1)} to {count(to)} of {count(of.length)}
          </span>
          <button type="button" class="small" disabled={piece === last} onClick={() => setAt(piece + 1)}>
            next piece
          </button>
        </span>
      )}
    </>
  );
}
