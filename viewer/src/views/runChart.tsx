/** The accuracy of every run with its interval, the best first. */
import { useState } from "preact/hooks";
import type { ProjectRun } from "../api";
import { escapeHidden } from "../escape";
import { formatCount, formatPercent, shareValue } from "../numberFormat";
import { runPath } from "../project/links";
import { bestRuns } from "../project/state";
import { IntervalBar } from "./shareBar";
import { Text } from "./text";

/** Runs that are shown at first. */
const RUNS_SHOWN = 10;

export function RunChart({ runs, isServed }: { runs: ProjectRun[]; isServed: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const sorted = bestRuns(runs);
  return (
    <>
      <ul class="run-chart" aria-label="Correct of answered samples by run">
        {(isOpen ? sorted : sorted.slice(0, RUNS_SHOWN)).map(({ id, accuracy }) => (
          <li>
            <span class="run-chart-name" title={escapeHidden(id)}>
              {isServed ? (
                <a href={runPath(id)}>
                  <Text of={id} />
                </a>
              ) : (
                <Text of={id} />
              )}
            </span>
            <IntervalBar share={accuracy.of_answered} />
            <span class="number">{formatPercent(shareValue(accuracy.of_answered))}</span>
          </li>
        ))}
        <li class="run-chart-axis muted" aria-hidden="true">
          <span />
          <span class="run-chart-ends">
            <span>0%</span>
            <span>50%</span>
            <span>100%</span>
          </span>
          <span />
        </li>
      </ul>
      {runs.length > RUNS_SHOWN && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? `Show the best ${RUNS_SHOWN}` : `Show all ${formatCount(runs.length)} runs`}
        </button>
      )}
    </>
  );
}
