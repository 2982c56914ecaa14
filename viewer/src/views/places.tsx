/** Where the first divergences are: a table whose cells are tinted by their counts. */
import type { RunDocument } from "../contract";
import { count, percent } from "../numbers";
import { FacetLink } from "./facet-link";
import { Text } from "./text";

/** As an execution comes to them. */
const WHERES = ["argument", "state", "action", "return", "exception", "end"];

export function Places({ run, index }: { run: RunDocument; index: number }) {
  const { places } = run;
  const wheres = WHERES.filter((where) => places.some((place) => place.where === where));
  const kinds = [...new Set(places.map((place) => place.kind))];
  const most = Math.max(...places.map((place) => place.count), 1);
  const all = sum(places);
  if (places.length === 0) return <p class="note">Nothing diverged.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="where × kind">
      <table class="heat">
        <thead>
          <tr>
            <th scope="col">where</th>
            {kinds.map((kind) => (
              <th scope="col" class="number">
                <Text of={kind} />
              </th>
            ))}
            <th scope="col" class="number">
              all
            </th>
            <th scope="col" class="number">
              share
            </th>
          </tr>
        </thead>
        <tbody>
          {wheres.map((where) => {
            const row = places.filter((place) => place.where === where);
            return (
              <tr>
                <th scope="row">
                  <FacetLink run={run} index={index} facets={{ where }} text={where} />
                </th>
                {kinds.map((kind) => {
                  const here = sum(row.filter((place) => place.kind === kind));
                  const facets = { where, kind };
                  return (
                    <td class="number" style={{ "--heat": here / most }}>
                      {here ? <FacetLink run={run} index={index} facets={facets} text={count(here)} /> : "·"}
                    </td>
                  );
                })}
                <td class="number">{count(sum(row))}</td>
                <td class="number">{percent(sum(row) / all)}</td>
              </tr>
            );
          })}
          <tr class="total">
            <th scope="row">all</th>
            {kinds.map((kind) => (
              <td class="number">{count(sum(places.filter((place) => place.kind === kind)))}</td>
            ))}
            <td class="number">{count(all)}</td>
            <td class="number">{percent(1)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function sum(places: { count: number }[]): number {
  return places.reduce((total, place) => total + place.count, 0);
}
