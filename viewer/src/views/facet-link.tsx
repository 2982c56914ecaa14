/** A way from a number to the samples it counts. */
import { NO_FILTER, toHash } from "../address";
import type { RunDocument } from "../contract";
import { Text } from "./text";

/** A link to the samples of which this holds; only the words where the samples cannot be chosen by it. */
export function FacetLink(props: { run: RunDocument; index: number; facets: Record<string, string>; text: string }) {
  const { run, index, facets, text } = props;
  const canFilter = Object.keys(facets).every((name) => run.columns.some((column) => column.name === name));
  if (!canFilter) return <Text of={text} />;
  return (
    <a href={toHash({ page: "samples", run: index, ...NO_FILTER, facets })}>
      <Text of={text} />
    </a>
  );
}
