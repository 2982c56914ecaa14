/** Search field, filter menus and the chips that remove them. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { RunDocument } from "../api";
import { escapeHidden, shorten } from "../escape";
import { columnLabel } from "../labels";
import { formatCount } from "../numberFormat";
import type { Filter } from "../route";
import { Badge } from "./badge";
import { Text } from "./text";

/** The column whose values are buttons; the other columns have menus. */
const TOGGLED_COLUMN = "verdict";

/** Changes a part of the filter; with `replace`, the Back button does not undo it. */
export type FilterUpdate = (next: Partial<Filter>, options?: { replace?: boolean }) => void;

export function Filters({ run, filter, update }: { run: RunDocument; filter: Filter; update: FilterUpdate }) {
  const menus = run.columns.filter((column) => column.values !== null && column.name !== TOGGLED_COLUMN);
  const toggles = run.columns.find((column) => column.name === TOGGLED_COLUMN)?.values ?? [];
  const choose = (name: string, chosen: string) => {
    const { [name]: _, ...others } = filter.facets;
    update({ facets: chosen === "" ? others : { ...others, [name]: chosen.slice(1) } });
  };
  return (
    <div class="filters" role="search">
      <Search text={filter.search} update={update} />
      <div class="toggles" role="group" aria-label="Verdict">
        {toggles.map(([value, count]) => {
          const isChosen = filter.facets[TOGGLED_COLUMN] === value;
          return (
            <button
              type="button"
              class="toggle"
              aria-pressed={isChosen}
              onClick={() => choose(TOGGLED_COLUMN, isChosen ? "" : "=" + value)}
            >
              <Badge of={value} /> {formatCount(count)}
            </button>
          );
        })}
      </div>
      {menus.map(({ name, title, values }) => {
        const chosen = filter.facets[name];
        return (
          <label>
            <span>
              <Text of={title} />
            </span>
            {/* Values are prefixed with "=", because "" means that none is chosen and an empty value exists too. */}
            <select
              value={chosen === undefined ? "" : "=" + chosen}
              onChange={(event) => choose(name, event.currentTarget.value)}
            >
              <option value="">Any</option>
              {values?.map(([value, count]) => (
                <option value={"=" + value}>
                  {value === "" ? "(none)" : escapeHidden(shorten(columnLabel(name, value), 60))} ({formatCount(count)})
                </option>
              ))}
            </select>
          </label>
        );
      })}
    </div>
  );
}

function Search({ text, update }: { text: string; update: FilterUpdate }) {
  const [typed, setTyped] = useState(text);
  // Before painting: a later effect would undo what was typed meanwhile.
  useLayoutEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => update({ search: typed }, { replace: true }), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label>
      <span>Search</span>
      <input
        type="search"
        placeholder="Programs, values and outputs"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  );
}

export function Chips({ run, filter, update }: { run: RunDocument; filter: Filter; update: FilterUpdate }) {
  const titleOf = (name: string) => run.columns.find((column) => column.name === name)?.title ?? name;
  const chips = Object.entries(filter.facets).map(([name, value]) => {
    const { [name]: _, ...others } = filter.facets;
    return {
      text: `${titleOf(name)}: ${value === "" ? "(none)" : shorten(columnLabel(name, value), 60)}`,
      remove: () => update({ facets: others }),
    };
  });
  if (filter.search)
    chips.push({ text: `Search: ${shorten(filter.search, 60)}`, remove: () => update({ search: "" }) });
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {chips.map((chip) => (
        <li>
          <button type="button" onClick={chip.remove} aria-label={`Remove ${escapeHidden(chip.text)}`}>
            <Text of={chip.text} /> ✕
          </button>
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button type="button" onClick={() => update({ facets: {}, search: "" })}>
            Remove all
          </button>
        </li>
      )}
    </ul>
  );
}
