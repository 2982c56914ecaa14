/** One row of the sample list. */
import type { Cell, Column } from "../api";
import { escapeHidden, shorten, shortenAround } from "../escape";
import { valueTerm } from "../glossary";
import { columnLabel } from "../labels";
import { toHash } from "../route";
import { FIRST_ROW } from "../rowKeys";
import { cellText, DIVERGENCE_COLUMNS, MAX_CELL_CHARS, MAX_VALUE_CHARS } from "../sampleCells";
import { rememberList } from "../siblings";
import { spaceMarks } from "../valueSpaces";
import { Badge } from "./badge";
import { type Side, SIDES } from "./markedValue";
import { Text } from "./text";

interface RowProps {
  position: number;
  /** Undefined until they are loaded. */
  cells: Cell[] | undefined;
  /** The columns of the cells, and those that are shown. */
  all: Column[];
  columns: Column[];
  run: number;
  hasTwoLines: boolean;
}

export function SampleRow({ position, cells, all, columns, run, hasTwoLines }: RowProps) {
  if (!cells)
    return (
      <tr aria-rowindex={position + FIRST_ROW}>
        <td colSpan={columns.length}>…</td>
      </tr>
    );
  const cellOf = (name: string) => cells[all.findIndex((column) => column.name === name)] ?? null;
  const values = { actual: String(cellOf("actual") ?? ""), predicted: String(cellOf("predicted") ?? "") };
  const hasDiverged = cellOf("where") !== null;
  const [id, ...others] = columns;
  return (
    <tr aria-rowindex={position + FIRST_ROW}>
      <th scope="row" title={id && escapeHidden(cellText(cells[0] ?? null, id))}>
        <SampleLink id={String(cells[0] ?? "")} run={run} position={position} />
        {hasTwoLines && hasDiverged && (
          <span class="second-line">
            {SIDES.map((side, index) => (
              <>
                {index > 0 && <span class="muted">→</span>}
                <span class={side}>
                  <ShortValue side={side} values={values} />
                </span>
              </>
            ))}
          </span>
        )}
      </th>
      {others.map((column, index) => {
        const { name } = column;
        const cell = cellOf(name);
        if (!hasDiverged && cell === null && DIVERGENCE_COLUMNS.has(name)) {
          const isFirst = !DIVERGENCE_COLUMNS.has(columns[index]?.name ?? "");
          return <EmptyCell column={column} outcome={isFirst ? String(cellOf("outcome") ?? "") : ""} />;
        }
        if (name === "actual" || name === "predicted") return <ValueCell side={name} values={values} />;
        return <DataCell column={column} cell={cell} />;
      })}
    </tr>
  );
}

function SampleLink({ id, run, position }: { id: string; run: number; position: number }) {
  return (
    <a href={toHash({ page: "sample", run, id, step: null })} onClick={() => rememberList(run, { index: position })}>
      <bdi>
        <Text of={shorten(id, MAX_CELL_CHARS)} />
      </bdi>
    </a>
  );
}

/** A cell about the divergence in a row without one: the first says what the trace is. */
function EmptyCell({ column, outcome }: { column: Column; outcome: string }) {
  return (
    <td class={column.type === "number" ? "number muted" : "muted"}>
      {outcome === "" ? "–" : <Text of={columnLabel("outcome", outcome)} />}
    </td>
  );
}

interface ValueProps {
  side: Side;
  values: Record<Side, string>;
}

/** A value at the divergence; on hover, more of it. */
function ValueCell({ side, values }: ValueProps) {
  const other = side === "actual" ? values.predicted : values.actual;
  return (
    <td class={`value ${side}`} title={escapeHidden(shortenAround(values[side], other, MAX_CELL_CHARS))}>
      <ShortValue side={side} values={values} />
    </td>
  );
}

/** A value shortened around what differs from the other one. */
function ShortValue({ side, values }: ValueProps) {
  const other = side === "actual" ? values.predicted : values.actual;
  return (
    <bdi>
      <Text
        of={shortenAround(values[side], other, MAX_VALUE_CHARS)}
        marks={spaceMarks(values.actual, values.predicted)}
      />
    </bdi>
  );
}

function DataCell({ column, cell }: { column: Column; cell: Cell }) {
  if (typeof cell === "string" && (column.name === "verdict" || column.name === "outcome"))
    return (
      <td class="with-badge">
        <Badge of={cell} column={column.name} term={valueTerm(column.name, cell)} />
      </td>
    );
  return (
    <td class={column.type === "number" ? "number" : undefined}>
      <bdi data-term={typeof cell === "string" ? valueTerm(column.name, cell) : undefined}>
        <Text of={cellText(cell, column)} />
      </bdi>
    </td>
  );
}
