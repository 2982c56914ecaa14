/** Text from documents, always as text with its hidden characters escaped, never as markup. */
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import { escapeCharacter, sliceText, splitText, type Marks, type TextPart, WITH_SPACES } from "../escape";
import { formatCount, pluralize } from "../numberFormat";

/** Characters of a long text that are shown at once. */
const PAGE_CHARS = 4_000;

/** Whether every space of the values below is marked: where two values differ in spaces. */
export const AllSpaces = createContext(false);

/** `marks`: also mark spaces and look-alikes that are easily overlooked, as in values. */
export function Text({ of, lines = false, marks }: { of: string; lines?: boolean; marks?: Marks | undefined }) {
  const hasAllSpaces = useContext(AllSpaces);
  return <>{splitText(of, { lines, marks: marks && hasAllSpaces ? WITH_SPACES[marks] : marks }).map(renderPart)}</>;
}

function renderPart({ text, kind }: TextPart) {
  if (kind === "plain") return text;
  if (kind === "spaces")
    return (
      <span class="spaces" title={pluralize(text.length, "space")}>
        {text}
      </span>
    );
  const title = kind === "lookalike" ? `Not ASCII: ${escapeCharacter(text)}` : "Invisible character";
  return (
    <span class={kind} title={title}>
      {text}
    </span>
  );
}

/** A long text, a page at a time. */
export function PagedText({ of, lines = false, marks }: { of: string; lines?: boolean; marks?: Marks | undefined }) {
  const [chosen, setPage] = useState(0);
  const lastPage = Math.max(Math.ceil(of.length / PAGE_CHARS) - 1, 0);
  const page = Math.min(chosen, lastPage);
  const [from, to] = [page * PAGE_CHARS, Math.min((page + 1) * PAGE_CHARS, of.length)];
  return (
    <>
      <bdi class={lines ? "value lines" : "value"}>
        <Text of={sliceText(of, from, to)} lines={lines} marks={marks} />
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
