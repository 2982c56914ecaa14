/** Table of counts by outcome or cause, with shares, bars and links to the samples. */
import type { ComponentChildren } from "preact";
import type { Count, RunDocument } from "../api";
import { columnTerm, type Term, valueTerm } from "../glossary";
import { columnLabel, measureLabel } from "../labels";
import { formatCount, formatPercent } from "../numberFormat";
import { Defined } from "./defined";
import { FacetLink, NumberHeadings } from "./elements";

/** A column after the bars. */
export interface ExtraColumn<C> {
  title: string;
  term?: Term;
  style: string;
  cell: (of: C) => ComponentChildren;
}

interface Props<C extends Count> {
  run: RunDocument;
  index: number;
  /** The column of the sample table that contains the counted values. */
  facet: string;
  counts: C[];
  extraColumns?: ExtraColumn<C>[];
}

export function CountTable<C extends Count>({ run, index, facet, counts, extraColumns = [] }: Props<C>) {
  const total = counts.reduce((sum, row) => sum + row.count, 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Counts by ${facet}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <Defined term={columnTerm(facet)}>{measureLabel(facet)}</Defined>
            </th>
            <NumberHeadings of={["Samples", "Share"]} />
            <th scope="col" class="bar-cell">
              <span class="visually-hidden">Bar</span>
            </th>
            {extraColumns.map((column) => (
              <th scope="col">
                <Defined term={column.term}>{column.title}</Defined>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {counts.map((row) => (
            <tr>
              <th scope="row">
                <FacetLink
                  run={run}
                  index={index}
                  facets={{ [facet]: row.name }}
                  text={columnLabel(facet, row.name)}
                  term={valueTerm(facet, row.name)}
                />
              </th>
              <td class="number">{formatCount(row.count)}</td>
              <td class="number">{formatPercent(row.count / total)}</td>
              <td class="bar-cell">
                <span class="bar" style={{ width: `${(100 * row.count) / total}%` }} />
              </td>
              {extraColumns.map((column) => (
                <td class={column.style}>{column.cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
