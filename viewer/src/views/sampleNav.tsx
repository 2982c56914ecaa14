/** Navigation of the sample page: back to the list, previous and next sample, the same sample in the other run. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { DataSource, ReportDocument } from "../api";
import { runLabel } from "../labels";
import { navigate } from "../navigation";
import { formatCount } from "../numberFormat";
import { type SampleRoute, toHash } from "../route";
import { useShortcuts } from "../shortcuts";
import { findPosition, lastList, type ListPosition, rememberList, sampleIdAt } from "../siblings";
import { Text } from "./text";

interface Props {
  data: DataSource;
  report: ReportDocument;
  route: SampleRoute;
}

export function SampleNav({ data, report, route }: Props) {
  const { run } = route;
  const { position, move } = useSiblings(data, route);
  const list = { page: "samples", run, ...lastList(run).filter } as const;
  useShortcuts({ "[": () => void move(-1), "]": () => void move(1), u: () => navigate(list) });
  const isFirst = !position || position.index === 0;
  const isLast = !position || position.index + 1 >= position.total;
  return (
    <nav class="sample-nav" aria-label="Samples">
      <a href={toHash(list)} title="Back to the samples (key u)">
        ← Samples
      </a>
      <button type="button" disabled={isFirst} onClick={() => move(-1)} title="Previous sample (key [)">
        Previous
      </button>
      <span class="muted">
        {position ? `${formatCount(position.index + 1)} of ${formatCount(position.total)}` : "not in the list"}
      </span>
      <button type="button" disabled={isLast} onClick={() => move(1)} title="Next sample (key ])">
        Next
      </button>
      {report.runs.map(
        (_, index) =>
          index !== run && (
            <a href={toHash({ ...route, run: index, step: null })}>
              Same sample in <Text of={runLabel(report, index)} />
            </a>
          ),
      )}
    </nav>
  );
}

/** The position of the sample in the last list, and a function to open the one before or after it. */
function useSiblings(data: DataSource, { run, id }: SampleRoute) {
  const [position, setPosition] = useState<ListPosition | null>(null);
  // If the server is gone, the sample itself shows the error.
  const search = useMemo(() => findPosition(data, run, id, lastList(run)).catch(() => null), [run, id]);
  useEffect(() => {
    let isCurrent = true;
    void search.then((found) => isCurrent && setPosition(found));
    return () => {
      isCurrent = false;
    };
  }, [search]);
  const move = async (offset: number) => {
    const start = await search;
    if (!start) return;
    const index = start.index + offset;
    const next = await sampleIdAt(data, run, lastList(run).filter, index).catch(() => null);
    if (next === null) return;
    rememberList(run, { index });
    navigate({ page: "sample", run, id: next, step: null });
  };
  return { position, move };
}
