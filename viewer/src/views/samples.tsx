/** All samples of a run, in a table that is quick however long it is. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Filter, type SamplesAddress, toHash } from "../address";
import type { Cell, Column, ReportDocument, RunDocument, Source } from "../contract";
import { nameOf } from "../names";
import { go } from "../navigate";
import { remember } from "../neighbours";
import { count } from "../numbers";
import { type Rows, useRows } from "../rows";
import { clip, visible } from "../visible";
import { useSpan } from "../window";
import { type Change, Chips, Filters } from "./filters";
import { Message } from "./message";
import { Text } from "./text";

const ROW_HEIGHT = 28;
const CELL_LENGTH = 200;
/** A column is at least and at most so many characters wide, of so many pixels each. */
const [NARROW, WIDE, WIDEST_ID] = [6, 44, 32];
const [CHARACTER, MARGIN] = [7.6, 20];

/** Where each list was scrolled to, for those who come back to it. */
const scrolled = new Map<string, number>();

interface Props {
  source: Source;
  report: ReportDocument;
  run: RunDocument;
  address: SamplesAddress;
}

export function Samples({ source, report, run, address }: Props) {
  const { search, facets, sort, descending } = address;
  const filter: Filter = { search, facets, sort, descending };
  const key = toHash(address);
  const box = useRef<HTMLDivElement>(null);
  const [total, setTotal] = useState(0);
  const span = useSpan(box, total, ROW_HEIGHT);
  const rows = useRows(source, address.run, filter, span);
  const change = (next: Partial<Filter>, { replace = false } = {}) => go({ ...address, ...next }, { replace });

  useEffect(() => remember(address.run, { filter }), [key]);
  useLayoutEffect(() => {
    if (rows.isOld || rows.total === null) return;
    setTotal(rows.total);
    // The box must be as high as its rows before it can be scrolled to one of them.
    requestAnimationFrame(() => {
      if (box.current) box.current.scrollTop = scrolled.get(key) ?? 0;
    });
  }, [key, rows.isOld, rows.total]);

  return (
    <div class="samples">
      <h1>
        Samples of <Text of={nameOf(report, address.run)} />
      </h1>
      <Filters run={run} filter={filter} change={change} />
      <Chips run={run} filter={filter} change={change} />
      <p class="note" role="status">
        {found(rows)}
      </p>
      {rows.why !== null ? (
        <Message text={rows.why} again={rows.again} />
      ) : rows.total === 0 && !rows.isOld ? (
        <Message text="No sample is like this. Remove a filter above." />
      ) : (
        <div
          class={rows.isOld ? "table-box old" : "table-box"}
          ref={box}
          tabIndex={0}
          role="region"
          aria-label="table of samples"
          onScroll={() => !rows.isOld && scrolled.set(key, box.current?.scrollTop ?? 0)}
        >
          <Table run={run} index={address.run} filter={filter} change={change} rows={rows} span={span} total={total} />
        </div>
      )}
    </div>
  );
}

function found({ total, isOld, why }: Rows): string {
  if (why !== null) return "";
  if (total === null || isOld) return "Looking …";
  return total === 1 ? "1 sample" : `${count(total)} samples`;
}

interface TableProps {
  run: RunDocument;
  index: number;
  filter: Filter;
  change: Change;
  rows: Rows;
  span: { from: number; to: number };
  total: number;
}

function Table({ run, index, filter, change, rows, span, total }: TableProps) {
  const widths = useWidths(run.columns, rows);
  const drawn = Array.from({ length: span.to - span.from }, (_, at) => span.from + at);
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
            <Head column={column} filter={filter} change={change} />
          ))}
        </tr>
      </thead>
      <tbody>
        <Gap height={span.from * ROW_HEIGHT} columns={run.columns.length} />
        {drawn.map((at) => (
          <Row key={at} at={at} cells={rows.row(at)} columns={run.columns} run={index} />
        ))}
        <Gap height={(total - span.to) * ROW_HEIGHT} columns={run.columns.length} />
      </tbody>
    </table>
  );
}

/** Stands for the rows that are out of sight. */
function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden="true" class="gap">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}

function Head({ column, filter, change }: { column: Column; filter: Filter; change: Change }) {
  const isSorted = filter.sort === column.name;
  const direction = filter.descending ? "descending" : "ascending";
  // Ascending, descending, and then as they came.
  const next = !isSorted
    ? { sort: column.name, descending: false }
    : filter.descending
      ? { sort: null, descending: false }
      : { sort: column.name, descending: true };
  return (
    <th scope="col" aria-sort={isSorted ? direction : "none"} class={column.type === "number" ? "number" : undefined}>
      <button type="button" class="sort" onClick={() => change(next)}>
        <Text of={column.title} />
        <span aria-hidden="true">{isSorted ? (filter.descending ? " ▼" : " ▲") : ""}</span>
      </button>
    </th>
  );
}

function Row({ at, cells, columns, run }: { at: number; cells: Cell[] | undefined; columns: Column[]; run: number }) {
  if (!cells)
    return (
      <tr aria-rowindex={at + 2}>
        <td colSpan={columns.length}>…</td>
      </tr>
    );
  const id = String(cells[0] ?? "");
  return (
    <tr aria-rowindex={at + 2}>
      {columns.map((column, place) => {
        const text = cellText(cells[place] ?? null);
        if (place > 0)
          return (
            <td class={column.type === "number" ? "number" : undefined}>
              <bdi>
                <Text of={text} />
              </bdi>
            </td>
          );
        return (
          <th scope="row" title={visible(text)}>
            <a
              href={toHash({ page: "sample", run, id, step: null, tokens: false })}
              onClick={() => remember(run, { index: at })}
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

function cellText(cell: Cell): string {
  return typeof cell === "number" ? count(cell) : clip(cell ?? "", CELL_LENGTH);
}

/** Widths in pixels, from what the heads and the first rows need; they stay while one scrolls and filters. */
function useWidths(columns: Column[], rows: Rows): number[] {
  const kept = useRef<number[] | null>(null);
  if (!kept.current || (kept.current.length === 0 && rows.total)) {
    const sample = Array.from({ length: Math.min(rows.total ?? 0, 100) }, (_, at) => rows.row(at) ?? []);
    const need = (column: Column, at: number) => {
      const lengths = sample.map((row) => visible(cellText(row[at] ?? null)).length);
      const most = at === 0 ? WIDEST_ID : WIDE;
      return Math.min(Math.max(column.title.length + 2, NARROW, ...lengths), most) * CHARACTER + MARGIN;
    };
    kept.current = sample.length ? columns.map(need) : [];
  }
  return kept.current.length ? kept.current : columns.map((column) => (column.title.length + 8) * CHARACTER);
}
