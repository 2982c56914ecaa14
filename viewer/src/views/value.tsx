/** A value of a program; a long one is collapsed, and a long container is shown as a tree when it is expanded. */
import { useMemo, useState } from "preact/hooks";
import { type Marks, sliceText } from "../escape";
import { formatCount } from "../numberFormat";
import { parseContainer } from "../pythonValue";
import { ValueTree } from "./structure";
import { PagedText, Text } from "./text";

/** Characters of a value that are shown before it is expanded. */
const COLLAPSED_CHARS = 160;

/** `marks`: also mark spaces and look-alikes that are easily overlooked; a container has "value". */
export function Value({ of, marks }: { of: string; marks?: Marks | undefined }) {
  const [isOpen, setOpen] = useState(false);
  if (of.length <= COLLAPSED_CHARS)
    return (
      <bdi class="value">
        <Text of={of} marks={marks} />
      </bdi>
    );
  return (
    <>
      {isOpen ? (
        <OpenValue of={of} marks={marks} />
      ) : (
        <bdi class="value">
          <Text of={sliceText(of, 0, COLLAPSED_CHARS)} marks={marks} />…
        </bdi>
      )}{" "}
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Show less" : `Show all ${formatCount(of.length)} characters`}
      </button>
    </>
  );
}

/** A whole value: a container as a tree, or as text on request. */
function OpenValue({ of, marks }: { of: string; marks: Marks | undefined }) {
  const container = useMemo(() => (marks === "value" ? parseContainer(of) : null), [of, marks]);
  const [isText, setText] = useState(false);
  if (!container) return <PagedText of={of} marks={marks} />;
  return (
    <>
      {isText ? <PagedText of={of} marks={marks} /> : <ValueTree of={container} />}
      <button type="button" class="small" onClick={() => setText(!isText)}>
        {isText ? "As a tree" : "As text"}
      </button>
    </>
  );
}
