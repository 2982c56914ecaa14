/** Table of all samples of a run; only the rows in view are loaded and rendered. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Column, DataSource, ReportDocument, RunDocument } from "../api";
import { useWidths } from "../columnWidths";
import { columnTerm } from "../glossary";
import { runLabel } from "../labels";
import { navigate } from "../navigation";
import { pluralize } from "../numberFormat";
import { type PagedRows, usePagedRows } from "../pagedRows";
import { type Filter, type SamplesRoute, toHash } from "../route";
import { HEADING_ROWS, ROW_HEIGHT, TWO_LINE_HEIGHT, useRowKeys } from "../rowKeys";
import { DIVERGENCE_COLUMNS, VALUE_COLUMNS } from "../sampleCells";
import { lastList, rememberList } from "../siblings";
import { useFacetCounts } from "../useFacetCounts";
import { NARROW, useMediaQuery } from "../useMediaQuery";
import { type RowRange, useVisibleRange } from "../virtualList";
import { Defined } from "./defined";
import { Chips, Filters, type FilterUpdate } from "./filters";
import { Message } from "./message";
import { SampleRow } from "./sampleRow";
import { Text } from "./text";

const NAME_COLUMN = "id";

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
  const isNarrow = useMediaQuery(NARROW);
  const rowHeight = isNarrow ? TWO_LINE_HEIGHT : ROW_HEIGHT;
  const range = useVisibleRange(box, total, rowHeight);
  const rows = usePagedRows(data, route.run, filter, range);
  const counts = useFacetCounts(data, route.run, filter);
  useRowKeys(box, rowHeight, total, lastList(route.run).index);
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
          class={`table-box${rows.isStale ? " stale" : ""}${isNarrow ? " two-lines" : ""}`}
          ref={box}
          tabIndex={0}
          role="region"
          aria-label="Table of samples"
          onScroll={() => !rows.isStale && scrollPositions.set(key, box.current?.scrollTop ?? 0)}
        >
          <Table
            key={rowHeight}
            run={run}
            index={route.run}
            filter={filter}
            update={update}
            rows={rows}
            range={range}
            total={total}
            hasTwoLines={isNarrow}
          />
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
  /** In a narrow window, the second line of each row has its two values. */
  hasTwoLines: boolean;
}

function Table({ run, index, filter, update, rows, range, total, hasTwoLines }: TableProps) {
  const columns = hasTwoLines ? run.columns.filter(({ name }) => !VALUE_COLUMNS.has(name)) : run.columns;
  const rowHeight = hasTwoLines ? TWO_LINE_HEIGHT : ROW_HEIGHT;
  const widths = useWidths(run.columns, columns, rows);
  const divergenceColumns = columns.filter((column) => DIVERGENCE_COLUMNS.has(column.name));
  const visible = Array.from({ length: range.to - range.from }, (_, offset) => range.from + offset);
  return (
    <table
      class="rows"
      aria-rowcount={total + HEADING_ROWS}
      style={{ width: `${widths.reduce((sum, width) => sum + width, 0)}px` }}
    >
      <colgroup>
        {widths.map((width) => (
          <col style={{ width: `${width}px` }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column, position) =>
            !DIVERGENCE_COLUMNS.has(column.name) ? (
              <Heading column={column} filter={filter} update={update} rowSpan={HEADING_ROWS} />
            ) : (
              !DIVERGENCE_COLUMNS.has(columns[position - 1]?.name ?? "") && (
                <th scope="colgroup" class="group" colSpan={divergenceColumns.length}>
                  <Defined term="term:divergence">First divergence</Defined>
                </th>
              )
            ),
          )}
        </tr>
        <tr aria-rowindex={2}>
          {divergenceColumns.map((column) => (
            <Heading column={column} filter={filter} update={update} />
          ))}
        </tr>
      </thead>
      <tbody>
        <Spacer height={range.from * rowHeight} columns={columns.length} />
        {visible.map((position) => (
          <SampleRow
            key={position}
            position={position}
            cells={rows.row(position)}
            all={run.columns}
            columns={columns}
            run={index}
            hasTwoLines={hasTwoLines}
          />
        ))}
        <Spacer height={(total - range.to) * rowHeight} columns={columns.length} />
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

interface HeadingProps {
  column: Column;
  filter: Filter;
  update: FilterUpdate;
  rowSpan?: number;
}

function Heading({ column, filter, update, rowSpan }: HeadingProps) {
  // Without another order, the samples are sorted by name.
  const isSorted = filter.sort === column.name || (filter.sort === null && column.name === NAME_COLUMN);
  const direction = filter.descending ? "descending" : "ascending";
  // Clicks cycle through ascending, descending and the order by name.
  const next =
    isSorted && !filter.descending
      ? { sort: column.name, descending: true }
      : isSorted || column.name === NAME_COLUMN
        ? { sort: null, descending: false }
        : { sort: column.name, descending: false };
  return (
    <th
      scope="col"
      rowSpan={rowSpan}
      aria-sort={isSorted ? direction : "none"}
      class={column.type === "number" ? "number" : undefined}
    >
      <button type="button" class="sort" data-term={columnTerm(column.name)} onClick={() => update(next)}>
        <Text of={column.title} />
        <span aria-hidden="true">{isSorted ? (filter.descending ? " ▼" : " ▲") : ""}</span>
      </button>
    </th>
  );
}
