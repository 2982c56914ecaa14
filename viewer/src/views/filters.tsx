/** Search field, filter menus with the number of samples that each value would show, and chips that remove filters. */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import type { Column, FacetCounts, RunDocument } from "../api";
import { escapeHidden, shorten } from "../escape";
import { columnTerm, valueTerm } from "../glossary";
import { columnLabel } from "../labels";
import { formatCount } from "../numberFormat";
import type { Filter } from "../route";
import { Badge } from "./badge";
import { Text } from "./text";

/** The column whose values are buttons; the other columns have menus. */
const TOGGLED_COLUMN = "verdict";

/** Changes a part of the filter; with `replace`, the Back button does not undo it. */
export type FilterUpdate = (next: Partial<Filter>, options?: { replace?: boolean }) => void;

interface Props {
  run: RunDocument;
  filter: Filter;
  update: FilterUpdate;
}

/** `counts`: what each value would show, by column; without them, the numbers of the whole run. */
export function Filters({ run, filter, update, counts }: Props & { counts: Record<string, FacetCounts> | null }) {
  const menus = run.columns.filter((column) => column.values !== null && column.name !== TOGGLED_COLUMN);
  const toggles = run.columns.find((column) => column.name === TOGGLED_COLUMN)?.values ?? [];
  const choose = (name: string, chosen: string) => {
    const { [name]: _, ...others } = filter.facets;
    update({ facets: chosen === "" ? others : { ...others, [name]: chosen.slice(1) } });
  };
  return (
    <div class="filters" role="search">
      <Search text={filter.search} update={update} />
      {menus.map((column) => (
        <Menu column={column} chosen={filter.facets[column.name]} counts={counts} choose={choose} />
      ))}
      <div class="toggles" role="group" aria-label="Verdict">
        {toggles.map(([value, count]) => {
          const isChosen = filter.facets[TOGGLED_COLUMN] === value;
          const shown = countOf(counts, TOGGLED_COLUMN, value, count);
          return (
            <button
              type="button"
              class="toggle"
              aria-pressed={isChosen}
              disabled={shown === 0 && !isChosen}
              data-term={valueTerm(TOGGLED_COLUMN, value)}
              onClick={() => choose(TOGGLED_COLUMN, isChosen ? "" : "=" + value)}
            >
              <Badge of={value} column="verdict" /> {formatCount(shown)}
            </button>
          );
        })}
      </div>
    </div>
  );
}

interface MenuProps {
  column: Column;
  chosen: string | undefined;
  counts: Record<string, FacetCounts> | null;
  choose: (name: string, chosen: string) => void;
}

function Menu({ column: { name, title, values }, chosen, counts, choose }: MenuProps) {
  const total = counts?.[name]?.total;
  return (
    <label data-term={columnTerm(name)}>
      <span>
        <Text of={title} />
      </span>
      {/* Values are prefixed with "=", because "" means that none is chosen and an empty value exists too. */}
      <select
        value={chosen === undefined ? "" : "=" + chosen}
        onChange={(event) => choose(name, event.currentTarget.value)}
      >
        <option value="">Any{total === undefined ? "" : ` (${formatCount(total)})`}</option>
        {values?.map(([value, count]) => {
          const shown = countOf(counts, name, value, count);
          return (
            <option value={"=" + value} disabled={shown === 0 && value !== chosen}>
              {value === "" ? "(none)" : escapeHidden(shorten(columnLabel(name, value), 60))} ({formatCount(shown)})
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** The number of samples that a value would show; `all` is that of the whole run. */
function countOf(counts: Record<string, FacetCounts> | null, column: string, value: string, all: number): number {
  return counts === null ? all : (counts[column]?.values[value] ?? 0);
}

function Search({ text, update }: { text: string; update: FilterUpdate }) {
  const [typed, setTyped] = useState(text);
  // Before painting: a later effect would undo what was typed meanwhile.
  useLayoutEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => update({ search: typed }, { replace: true }), 100);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="search">
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

export function Chips({ run, filter, update }: Props) {
  const titleOf = (name: string) => run.columns.find((column) => column.name === name)?.title ?? name;
  const chips = Object.entries(filter.facets).map(([name, value]) => {
    const { [name]: _, ...others } = filter.facets;
    return {
      text: `${titleOf(name)}: ${value === "" ? "(none)" : shorten(columnLabel(name, value), 60)}`,
      term: valueTerm(name, value),
      remove: () => update({ facets: others }),
    };
  });
  if (filter.search)
    chips.push({
      text: `Search: ${shorten(filter.search, 60)}`,
      term: undefined,
      remove: () => update({ search: "" }),
    });
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Active filters">
      {chips.map((chip) => (
        <li>
          <button
            type="button"
            onClick={chip.remove}
            data-term={chip.term}
            aria-label={`Remove ${escapeHidden(chip.text)}`}
          >
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
