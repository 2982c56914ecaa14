/** Heat map of first divergences: what differs × kind of the actual value. */
import type { DivergenceCount, RunDocument } from "../api";
import { columnLabel, label } from "../labels";
import { formatCount, formatPercent } from "../numberFormat";
import { Defined } from "./defined";
import { FacetLink, NumberHeadings } from "./elements";
import { Text } from "./text";

/** In the order in which an execution reaches them. */
const ROW_ORDER = ["argument", "state", "action", "return", "exception", "end"];

export function DivergenceHeatmap({ run, index }: { run: RunDocument; index: number }) {
  const { divergences } = run;
  const wheres = ROW_ORDER.filter((where) => divergences.some((cell) => cell.where === where));
  const kinds = [...new Set(divergences.map((cell) => cell.kind))];
  const largest = Math.max(...divergences.map((cell) => cell.count), 1);
  const total = sum(divergences);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="First divergence by what differs and kind of value">
      <table class="heat">
        <thead>
          <tr>
            <th scope="col">
              <Defined term="column:differs_in">Differs in</Defined>
            </th>
            {kinds.map((kind) => (
              <th scope="col" class="number">
                <Text of={columnLabel("kind", kind)} />
              </th>
            ))}
            <NumberHeadings of={["All", "Share"]} />
          </tr>
        </thead>
        <tbody>
          {wheres.map((where) => {
            const row = divergences.filter((cell) => cell.where === where);
            return (
              <tr>
                <th scope="row">
                  <FacetLink
                    run={run}
                    index={index}
                    facets={{ where }}
                    text={label(where)}
                    term={`differs_in:${where}`}
                  />
                </th>
                {kinds.map((kind) => {
                  const count = sum(row.filter((cell) => cell.kind === kind));
                  const facets = { where, kind };
                  return (
                    <td class="number" style={{ "--heat": count / largest }}>
                      {count ? <FacetLink run={run} index={index} facets={facets} text={formatCount(count)} /> : "·"}
                    </td>
                  );
                })}
                <td class="number">{formatCount(sum(row))}</td>
                <td class="number">{formatPercent(sum(row) / total)}</td>
              </tr>
            );
          })}
          {wheres.length > 1 && (
            <tr class="total">
              <th scope="row">All</th>
              {kinds.map((kind) => (
                <td class="number">{formatCount(sum(divergences.filter((cell) => cell.kind === kind)))}</td>
              ))}
              <td class="number">{formatCount(total)}</td>
              <td class="number">{formatPercent(1)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

function sum(cells: DivergenceCount[]): number {
  return cells.reduce((total, cell) => total + cell.count, 0);
}
