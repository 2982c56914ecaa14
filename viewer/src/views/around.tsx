/** The way from a sample back to the list, to those beside it, and to the same one in another run. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { type SampleAddress, toHash } from "../address";
import type { ReportDocument, Source } from "../contract";
import { useKeys } from "../keys";
import { nameOf } from "../names";
import { go } from "../navigate";
import { idAt, lastList, remember, type Spot, spotOf } from "../neighbours";
import { count } from "../numbers";
import { Text } from "./text";

interface Props {
  source: Source;
  report: ReportDocument;
  address: SampleAddress;
}

export function Around({ source, report, address }: Props) {
  const { run } = address;
  const { spot, move } = useNeighbours(source, address);
  useKeys({ "[": () => void move(-1), "]": () => void move(1) });
  return (
    <nav class="around" aria-label="samples around this one">
      <a href={toHash({ page: "samples", run, ...lastList(run).filter })}>← samples</a>
      <button type="button" disabled={!spot || spot.index === 0} onClick={() => move(-1)} title="key [">
        previous
      </button>
      <span class="soft">{spot ? `${count(spot.index + 1)} of ${count(spot.total)}` : "not in the list"}</span>
      <button type="button" disabled={!spot || spot.index + 1 >= spot.total} onClick={() => move(1)} title="key ]">
        next
      </button>
      {report.runs.map(
        (_, index) =>
          index !== run && (
            <a href={toHash({ ...address, run: index, step: null })}>
              in <Text of={nameOf(report, index)} />
            </a>
          ),
      )}
    </nav>
  );
}

/** The place of the sample in the last list, and a way to those beside it. */
function useNeighbours(source: Source, { run, id }: SampleAddress) {
  const [spot, setSpot] = useState<Spot | null>(null);
  // Where the source is gone, the sample's own message says so.
  const found = useMemo(() => spotOf(source, run, id, lastList(run)).catch(() => null), [run, id]);
  useEffect(() => {
    let isWanted = true;
    void found.then((known) => isWanted && setSpot(known));
    return () => {
      isWanted = false;
    };
  }, [found]);
  const move = async (by: number) => {
    const known = await found;
    if (!known) return;
    const next = await idAt(source, run, lastList(run).filter, known.index + by).catch(() => null);
    if (next === null) return;
    remember(run, { index: known.index + by });
    go({ page: "sample", run, id: next, step: null, tokens: false });
  };
  return { spot, move };
}
