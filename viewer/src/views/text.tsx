/** Text from documents, always as text with its hidden characters escaped, never as markup. */
import { useState } from "preact/hooks";
import { sliceText, splitEscapes } from "../escape";
import { formatCount } from "../numberFormat";

/** Characters of a value that are shown before it is expanded. */
const COLLAPSED_CHARS = 160;
/** Characters of a long text that are shown at once. */
const PAGE_CHARS = 4_000;

export function Text({ of, lines = false }: { of: string; lines?: boolean }) {
  return (
    <>
      {splitEscapes(of, { lines }).map((part) => (part.isEscape ? <span class="escape">{part.text}</span> : part.text))}
    </>
  );
}

/** A value of a program; a long one is collapsed, with a button to expand it. */
export function Value({ of }: { of: string }) {
  const [isOpen, setOpen] = useState(false);
  if (of.length <= COLLAPSED_CHARS)
    return (
      <bdi class="value">
        <Text of={of} />
      </bdi>
    );
  return (
    <>
      {isOpen ? (
        <PagedText of={of} />
      ) : (
        <bdi class="value">
          <Text of={sliceText(of, 0, COLLAPSED_CHARS)} />…
        </bdi>
      )}{" "}
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Show less" : `Show all ${formatCount(of.length)} characters`}
      </button>
    </>
  );
}

/** A long text, a page at a time. */
export function PagedText({ of, lines = false }: { of: string; lines?: boolean }) {
  const [chosen, setPage] = useState(0);
  const lastPage = Math.max(Math.ceil(of.length / PAGE_CHARS) - 1, 0);
  const page = Math.min(chosen, lastPage);
  const [from, to] = [page * PAGE_CHARS, Math.min((page + 1) * PAGE_CHARS, of.length)];
  return (
    <>
      <bdi class={lines ? "value lines" : "value"}>
        <Text of={sliceText(of, from, to)} lines={lines} />
      </bdi>
      {lastPage > 0 && (
        <span class="text-pages">
          <button type="button" class="small" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Previous part
          </button>
          <span role="status">
            Characters {formatCount(from + 1)} to {formatCount(to)} of {formatCount(of.length)}
          </span>
          <button type="button" class="small" disabled={page === lastPage} onClick={() => setPage(page + 1)}>
            Next part
          </button>
        </span>
      )}
    </>
  );
}
