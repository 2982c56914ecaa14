/** What the list of samples is searched and filtered by, and the chips to take that back. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Filter } from "../address";
import type { RunDocument } from "../contract";
import { clip, visible } from "../visible";
import { Text } from "./text";

/** A part of the filter made another; with `replace`, Back does not undo it. */
export type Change = (next: Partial<Filter>, options?: { replace?: boolean }) => void;

export function Filters({ run, filter, change }: { run: RunDocument; filter: Filter; change: Change }) {
  const choices = run.columns.filter((column) => column.values !== null);
  const choose = (name: string, chosen: string) => {
    const { [name]: _, ...others } = filter.facets;
    change({ facets: chosen === "" ? others : { ...others, [name]: chosen.slice(1) } });
  };
  return (
    <div class="filters" role="search">
      <Search text={filter.search} change={change} />
      {choices.map(({ name, title, values }) => {
        const chosen = filter.facets[name];
        return (
          <label>
            <span>
              <Text of={title} />
            </span>
            {/* A value gets "=" before it, since the empty one is a value too. */}
            <select
              value={chosen === undefined ? "" : "=" + chosen}
              onChange={(event) => choose(name, event.currentTarget.value)}
            >
              <option value="">any</option>
              {values?.map((value) => (
                <option value={"=" + value}>{value === "" ? "(none)" : visible(clip(value, 60))}</option>
              ))}
            </select>
          </label>
        );
      })}
    </div>
  );
}

function Search({ text, change }: { text: string; change: Change }) {
  const [typed, setTyped] = useState(text);
  // At once: a later effect would undo what was typed meanwhile.
  useLayoutEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => change({ search: typed }, { replace: true }), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label>
      <span>search</span>
      <input type="search" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
    </label>
  );
}

export function Chips({ run, filter, change }: { run: RunDocument; filter: Filter; change: Change }) {
  const titleOf = (name: string) => run.columns.find((column) => column.name === name)?.title ?? name;
  const chips = Object.entries(filter.facets).map(([name, value]) => {
    const { [name]: _, ...others } = filter.facets;
    return {
      text: `${titleOf(name)}: ${value === "" ? "(none)" : clip(value, 60)}`,
      remove: () => change({ facets: others }),
    };
  });
  if (filter.search) chips.push({ text: `search: ${clip(filter.search, 60)}`, remove: () => change({ search: "" }) });
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="active filters">
      {chips.map((chip) => (
        <li>
          <button type="button" onClick={chip.remove} aria-label={`remove ${visible(chip.text)}`}>
            <Text of={chip.text} /> ✕
          </button>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button type="button" onClick={() => change({ facets: {}, search: "" })}>
            remove all
          </button>
        </li>
      )}
    </ul>
  );
}
