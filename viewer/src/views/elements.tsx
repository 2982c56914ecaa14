/** Small elements shared by the pages: panel, column headings, link to samples. */
import type { ComponentChildren } from "preact";
import type { RunDocument } from "../api";
import type { Term } from "../glossary";
import { NO_FILTER, toHash } from "../route";
import { Defined } from "./defined";
import { Text } from "./text";

/** A section of a page with a title; `term` is the word of the glossary that the title is about. */
export function Panel(props: {
  id?: string;
  title: string;
  term?: Term;
  isWide?: boolean;
  children: ComponentChildren;
}) {
  const { id, title, term, isWide = false, children } = props;
  return (
    <section id={id} class={isWide ? "panel wide" : "panel"}>
      <h2>
        <Defined term={term}>{title}</Defined>
      </h2>
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

interface FacetLinkProps {
  run: RunDocument;
  index: number;
  facets: Record<string, string>;
  text: string;
  /** The key of the text in the glossary. */
  term?: Term | undefined;
}

/** A link to the samples with these facets; plain text if the table has no such column. */
export function FacetLink(props: FacetLinkProps) {
  const { run, index, facets, text, term } = props;
  const canFilter = Object.keys(facets).every((name) => run.columns.some((column) => column.name === name));
  if (!canFilter) return <Text of={text} />;
  return (
    <a href={toHash({ page: "samples", run: index, ...NO_FILTER, facets })} data-term={term}>
      <Text of={text} />
    </a>
  );
}
