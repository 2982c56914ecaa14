/** Containers as trees that can be folded: of one value, or of two values with their differences. */
import { useMemo, useState } from "preact/hooks";
import { shorten, shortenAround } from "../escape";
import { pluralize } from "../numberFormat";
import type { Container, PythonValue } from "../pythonValue";
import { type Difference, differences, type DiffNode } from "../valueDiff";
import { Text } from "./text";
import { ValueChange } from "./valueChange";

/** Characters of a value on one line; a longer container is folded. */
const MAX_CHARS = 80;
const FOLDED_CHARS = 40;
/** Items shown at first, and differences in the list. */
const ITEMS_SHOWN = 50;
const PATHS_SHOWN = 5;
/** Equal items in a row that are shown next to a difference. */
const MAX_EQUAL = 2;
const KIND_NAMES = { list: "list", tuple: "tuple", dict: "dict", set: "set", call: "" };

/** "Counter, 3 items" */
function describe({ kind, open, items }: Container): string {
  const name = KIND_NAMES[kind] || open.slice(0, -1);
  return `${name}, ${pluralize(items.length, "item")}`;
}

/** One value as a tree. */
export function ValueTree({ of, isOpen = true }: { of: PythonValue; isOpen?: boolean }) {
  const [shown, setShown] = useState(ITEMS_SHOWN);
  const [hasOpened, setOpened] = useState(isOpen);
  if (of.kind === "atom" || of.items.length === 0) return <Leaf text={of.text} />;
  return (
    <details class="tree" open={isOpen} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>
        <span class="muted">{describe(of)}</span> <Leaf text={shorten(of.text, FOLDED_CHARS)} />
      </summary>
      {hasOpened && (
        <ul>
          {of.items.slice(0, shown).map(({ key, value }, index) => (
            <li>
              <Place text={key ?? String(index)} /> <ValueTree of={value} isOpen={value.text.length > MAX_CHARS} />
            </li>
          ))}
          <MoreItems shown={shown} of={of.items.length} show={setShown} />
        </ul>
      )}
    </details>
  );
}

/** Two values as one tree: differences are open, equal parts are folded. */
export function DiffTree({ of }: { of: DiffNode }) {
  const [shown, setShown] = useState(ITEMS_SHOWN);
  const { actual, children, isReordered } = of;
  if (of.isSame && actual) return <ValueTree of={actual} isOpen={false} />;
  if (children === null || isReordered)
    return (
      <>
        <Change node={of} />
        {isReordered && <span class="muted"> the same items in another order</span>}
      </>
    );
  const groups = groupEqual(children);
  return (
    <details class="tree" open>
      <summary>
        <span class="muted">{actual?.kind !== "atom" && actual && describe(actual)}</span>
      </summary>
      <ul>
        {groups.slice(0, shown).map((group) => (
          <li class={group[0]?.isSame ? "same" : "differs"}>
            {group.length > MAX_EQUAL ? <EqualItems nodes={group} /> : group.map((node) => <DiffItem node={node} />)}
          </li>
        ))}
        <MoreItems shown={shown} of={groups.length} show={setShown} />
      </ul>
    </details>
  );
}

function DiffItem({ node }: { node: DiffNode }) {
  return (
    <div>
      <Place text={node.place.replace(/^(?:index|key|item|argument) /, "")} /> <DiffTree of={node} />
    </div>
  );
}

function EqualItems({ nodes }: { nodes: DiffNode[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="muted">{pluralize(nodes.length, "equal item")}</summary>
      {isOpen && nodes.slice(0, ITEMS_SHOWN * 4).map((node) => <DiffItem node={node} />)}
    </details>
  );
}

/** Equal items in a row form one group, every other item its own. */
function groupEqual(nodes: DiffNode[]): DiffNode[][] {
  const groups: DiffNode[][] = [];
  for (const node of nodes) {
    const last = groups.at(-1);
    if (node.isSame && last?.[0]?.isSame) last.push(node);
    else groups.push([node]);
  }
  return groups;
}

/** The differences by their paths: "key 'a' → index 2: 3 instead of 4". */
export function DifferenceList({ of }: { of: DiffNode }) {
  const all = useMemo(() => differences(of), [of]);
  const [isComplete, setComplete] = useState(false);
  const shown = isComplete ? all.slice(0, ITEMS_SHOWN * 4) : all.slice(0, PATHS_SHOWN);
  return (
    <ul class="paths plain-list" aria-label="Differences by path">
      {shown.map((difference) => (
        <li>
          <DifferenceLine of={difference} />
        </li>
      ))}
      {shown.length < all.length && !isComplete && (
        <li>
          <button type="button" class="small" onClick={() => setComplete(true)}>
            Show all {pluralize(all.length, "difference")}
          </button>
        </li>
      )}
    </ul>
  );
}

function DifferenceLine({ of: { path, node } }: { of: Difference }) {
  const { actual, predicted, isReordered } = node;
  const place = path.map((part) => shorten(part, MAX_CHARS)).join(" → ");
  return (
    <>
      {place !== "" && (
        <>
          <bdi class="mono">
            <Text of={place} marks="sentence" />
          </bdi>
          :{" "}
        </>
      )}
      {isReordered ? (
        "the same items in another order"
      ) : predicted === null ? (
        <>
          <ShortValue of={actual} other={null} /> is missing
        </>
      ) : actual === null ? (
        <>
          <ShortValue of={predicted} other={null} /> is added
        </>
      ) : (
        <>
          <ShortValue of={predicted} other={actual} /> instead of <ShortValue of={actual} other={predicted} />
        </>
      )}
    </>
  );
}

function ShortValue({ of, other }: { of: PythonValue | null; other: PythonValue | null }) {
  return <Leaf text={shortenAround(of?.text ?? "", other?.text ?? "", MAX_CHARS)} />;
}

function Change({ node: { actual, predicted } }: { node: DiffNode }) {
  const [ours, theirs] = [actual?.text ?? "", predicted?.text ?? ""];
  return (
    <ValueChange actual={shortenAround(ours, theirs, MAX_CHARS)} predicted={shortenAround(theirs, ours, MAX_CHARS)} />
  );
}

function Leaf({ text }: { text: string }) {
  return (
    <bdi class="value">
      <Text of={text} marks="value" />
    </bdi>
  );
}

function Place({ text }: { text: string }) {
  return (
    <bdi class="mono place">
      <Text of={shorten(text, MAX_CHARS)} marks="sentence" />:
    </bdi>
  );
}

function MoreItems({ shown, of, show }: { shown: number; of: number; show: (count: number) => void }) {
  if (shown >= of) return null;
  return (
    <li>
      <button type="button" class="small" onClick={() => show(shown + ITEMS_SHOWN * 4)}>
        Show {pluralize(Math.min(ITEMS_SHOWN * 4, of - shown), "more item")}
      </button>
    </li>
  );
}
