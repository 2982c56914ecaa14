/** How often each word occurs: a row a word, with its share and a bar, and a link to the samples. */
import type { ComponentChildren } from "preact";
import type { Count, RunDocument } from "../contract";
import { count, percent } from "../numbers";
import { FacetLink } from "./facet-link";
import { Bar } from "./share";

/** A further column, behind the bar. */
export interface Extra<C> {
  title: string;
  style: string;
  cell: (of: C) => ComponentChildren;
}

interface Props<C extends Count> {
  run: RunDocument;
  index: number;
  /** The column of the samples that holds the words. */
  facet: string;
  counts: C[];
  none: string;
  extras?: Extra<C>[];
}

export function Counts<C extends Count>({ run, index, facet, counts, none, extras = [] }: Props<C>) {
  const all = counts.reduce((sum, each) => sum + each.count, 0);
  if (all === 0) return <p class="note">{none}</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`${facet}s`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{facet}</th>
            <th scope="col" class="number">
              count
            </th>
            <th scope="col" class="number">
              of all
            </th>
            <th scope="col" class="bar-cell">
              <span class="unseen">bar</span>
            </th>
            {extras.map((extra) => (
              <th scope="col">{extra.title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {counts.map((each) => (
            <tr>
              <th scope="row">
                <FacetLink run={run} index={index} facets={{ [facet]: each.name }} text={each.name} />
              </th>
              <td class="number">{count(each.count)}</td>
              <td class="number">{percent(each.count / all)}</td>
              <td class="bar-cell">
                <Bar of={each} all={all} />
              </td>
              {extras.map((extra) => (
                <td class={extra.style}>{extra.cell(each)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
