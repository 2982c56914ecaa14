/** Small elements shared by the pages: panel, column headings, link to samples. */
import type { ComponentChildren } from "preact";
import type { RunDocument } from "../api";
import { NO_FILTER, toHash } from "../route";
import { Text } from "./text";

/** A section of a page with a title. */
export function Panel(props: { title: string; isWide?: boolean; children: ComponentChildren }) {
  const { title, isWide = false, children } = props;
  return (
    <section class={isWide ? "panel wide" : "panel"}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Headings of columns of numbers. */
export function NumberHeadings({ of }: { of: string[] }) {
  return of.map((title) => (
    <th scope="col" class="number">
      {title}
    </th>
  ));
}

/** A link to the samples with these facets; plain text if the table has no such column. */
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
