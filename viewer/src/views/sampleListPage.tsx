/** Table of all samples of a run; only the rows in view are loaded and rendered. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Cell, Column, DataSource, ReportDocument, RunDocument } from "../api";
import { escapeHidden, shorten } from "../escape";
import { columnTerm, valueTerm } from "../glossary";
import { columnLabel, runLabel } from "../labels";
import { navigate } from "../navigation";
import { formatCount, pluralize } from "../numberFormat";
import { type PagedRows, usePagedRows } from "../pagedRows";
import { type Filter, type SamplesRoute, toHash } from "../route";
import { ROW_HEIGHT, useRowKeys } from "../rowKeys";
import { lastList, rememberList } from "../siblings";
import { useFacetCounts } from "../useFacetCounts";
import { type RowRange, useVisibleRange } from "../virtualList";
import { Badge } from "./badge";
import { Chips, Filters, type FilterUpdate } from "./filters";
import { Message } from "./message";
import { Text } from "./text";

const MAX_CELL_CHARS = 200;
/** Widths of columns in characters, and in pixels those of a character and of the cell's padding. */
const [MIN_WIDTH, MAX_WIDTH, MAX_ID_WIDTH, MAX_VALUE_WIDTH] = [6, 44, 32, 30];
const [CHARACTER_WIDTH, CELL_PADDING, BADGE_PADDING] = [7.6, 20, 36];

const BADGE_COLUMNS = new Set(["verdict", "outcome"]);
/** Columns with values of programs: that of the model is struck out. */
const VALUE_STYLES: Record<string, string> = { predicted: "value predicted", actual: "value actual" };

/** The scroll position of each list, restored by the Back button. */
const scrollPositions = new Map<string, number>();

interface Props {
  data: DataSource;
  report: ReportDocument;
  run: RunDocument;
  route: SamplesRoute;
}

export function SampleListPage({ data, report, run, route }: Props) {
  const { search, facets, sort, descending } = route;
  const filter: Filter = { search, facets, sort, descending };
  const key = toHash(route);
  const box = useRef<HTMLDivElement>(null);
  const [total, setTotal] = useState(0);
  const range = useVisibleRange(box, total, ROW_HEIGHT);
  const rows = usePagedRows(data, route.run, filter, range);
  const counts = useFacetCounts(data, route.run, filter);
  useRowKeys(box, total, lastList(route.run).index);
  const update = (next: Partial<Filter>, { replace = false } = {}) => navigate({ ...route, ...next }, { replace });

  useEffect(() => rememberList(route.run, { filter }), [key]);
  useLayoutEffect(() => {
    if (rows.isStale || rows.total === null) return;
    setTotal(rows.total);
    // The box can be scrolled only after its rows are rendered.
    requestAnimationFrame(() => {
      if (box.current) box.current.scrollTop = scrollPositions.get(key) ?? 0;
    });
  }, [key, rows.isStale, rows.total]);

  return (
    <div class="samples">
      <h1>
        Samples of <Text of={runLabel(report, route.run)} />
      </h1>
      <Filters run={run} filter={filter} update={update} counts={counts} />
      <Chips run={run} filter={filter} update={update} />
      <p class="note" role="status">
        {statusText(rows)}
      </p>
      {rows.error !== null ? (
        <Message text={rows.error} retry={rows.retry} />
      ) : rows.total === 0 && !rows.isStale ? (
        <Message text="No sample matches. Remove a filter above." />
      ) : (
        <div
          class={rows.isStale ? "table-box stale" : "table-box"}
          ref={box}
          tabIndex={0}
          role="region"
          aria-label="Table of samples"
          onScroll={() => !rows.isStale && scrollPositions.set(key, box.current?.scrollTop ?? 0)}
        >
          <Table run={run} index={route.run} filter={filter} update={update} rows={rows} range={range} total={total} />
        </div>
      )}
    </div>
  );
}

function statusText({ total, isStale, error }: PagedRows): string {
  if (error !== null) return "";
  return total === null || isStale ? "Loading …" : pluralize(total, "sample");
}

interface TableProps {
  run: RunDocument;
  index: number;
  filter: Filter;
  update: FilterUpdate;
  rows: PagedRows;
  range: RowRange;
  total: number;
}

function Table({ run, index, filter, update, rows, range, total }: TableProps) {
  const widths = useWidths(run.columns, rows);
  const visible = Array.from({ length: range.to - range.from }, (_, offset) => range.from + offset);
  return (
    <table
      class="rows"
      aria-rowcount={total + 1}
      style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
    >
      <colgroup>
        {widths.map((width) => (
          <col style={{ width: `${width}px` }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {run.columns.map((column) => (
            <Heading column={column} filter={filter} update={update} />
          ))}
        </tr>
      </thead>
      <tbody>
        <Spacer height={range.from * ROW_HEIGHT} columns={run.columns.length} />
        {visible.map((position) => (
          <Row key={position} position={position} cells={rows.row(position)} columns={run.columns} run={index} />
        ))}
        <Spacer height={(total - range.to) * ROW_HEIGHT} columns={run.columns.length} />
      </tbody>
    </table>
  );
}

/** An empty row as high as all rows out of view. */
function Spacer({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true" class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function Heading({ column, filter, update }: { column: Column; filter: Filter; update: FilterUpdate }) {
  const isSorted = filter.sort === column.name;
  const direction = filter.descending ? "descending" : "ascending";
  // Clicks cycle through ascending, descending and unsorted.
  const next = !isSorted
    ? { sort: column.name, descending: false }
    : filter.descending
      ? { sort: null, descending: false }
      : { sort: column.name, descending: true };
  return (
    <th scope="col" aria-sort={isSorted ? direction : "none"} class={column.type === "number" ? "number" : undefined}>
      <button type="button" class="sort" data-term={columnTerm(column.name)} onClick={() => update(next)}>
        <Text of={column.title} />
        <span aria-hidden="true">{isSorted ? (filter.descending ? " ▼" : " ▲") : ""}</span>
      </button>
    </th>
  );
}

interface RowProps {
  position: number;
  /** Undefined until they are loaded. */
  cells: Cell[] | undefined;
  columns: Column[];
  run: number;
}

function Row({ position, cells, columns, run }: RowProps) {
  if (!cells)
    return (
      <tr aria-rowindex={position + 2}>
        <td colSpan={columns.length}>…</td>
      </tr>
    );
  const id = String(cells[0] ?? "");
  return (
    <tr aria-rowindex={position + 2}>
      {columns.map((column, index) => {
        const text = cellText(cells[index] ?? null, column);
        if (index > 0) return <DataCell column={column} cell={cells[index] ?? null} text={text} />;
        return (
          <th scope="row" title={escapeHidden(text)}>
            <a
              href={toHash({ page: "sample", run, id, step: null })}
              onClick={() => rememberList(run, { index: position })}
            >
              <bdi>
                <Text of={text} />
              </bdi>
            </a>
          </th>
        );
      })}
    </tr>
  );
}

function DataCell({ column, cell, text }: { column: Column; cell: Cell; text: string }) {
  if (typeof cell === "string" && BADGE_COLUMNS.has(column.name))
    return (
      <td class="with-badge">
        <Badge of={cell} term={valueTerm(column.name, cell)} />
      </td>
    );
  const style = VALUE_STYLES[column.name] ?? (column.type === "number" ? "number" : undefined);
  return (
    <td class={style} title={column.name in VALUE_STYLES ? escapeHidden(text) : undefined}>
      <bdi data-term={typeof cell === "string" ? valueTerm(column.name, cell) : undefined}>
        <Text of={text} marks={column.name in VALUE_STYLES ? "value" : undefined} />
      </bdi>
    </td>
  );
}

function cellText(cell: Cell, column: Column): string {
  return typeof cell === "number" ? formatCount(cell) : shorten(columnLabel(column.name, cell ?? ""), MAX_CELL_CHARS);
}

/** Column widths in pixels, from the headings and the first rows; they stay the same while scrolling and filtering. */
function useWidths(columns: Column[], rows: PagedRows): number[] {
  const widths = useRef<number[] | null>(null);
  if (!widths.current || (widths.current.length === 0 && rows.total)) {
    const firstRows = Array.from({ length: Math.min(rows.total ?? 0, 100) }, (_, index) => rows.row(index) ?? []);
    const widthOf = (column: Column, index: number) => {
      const lengths = firstRows.map((row) => escapeHidden(cellText(row[index] ?? null, column)).length);
      const limit = index === 0 ? MAX_ID_WIDTH : column.name in VALUE_STYLES ? MAX_VALUE_WIDTH : MAX_WIDTH;
      const padding = BADGE_COLUMNS.has(column.name) ? BADGE_PADDING : CELL_PADDING;
      return Math.min(Math.max(column.title.length + 2, MIN_WIDTH, ...lengths), limit) * CHARACTER_WIDTH + padding;
    };
    widths.current = firstRows.length ? columns.map(widthOf) : [];
  }
  return widths.current.length ? widths.current : columns.map((column) => (column.title.length + 8) * CHARACTER_WIDTH);
}
