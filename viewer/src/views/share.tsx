/** A share with its interval, in numbers and as a bar. */
import type { Count, Share } from "../contract";
import { count, intervalText, partOf, percent, shareText } from "../numbers";
import { Text } from "./text";

/** A line from 0 to 100%: the band is the interval, the tick the value. */
export function IntervalBar({ share }: { share: Share }) {
  const { low, high } = share;
  const value = partOf(share);
  if (value === null || low === null || high === null) return null;
  const at = (part: number) => `${(100 * Math.min(Math.max(part, 0), 1)).toFixed(2)}%`;
  return (
    <span class="interval" role="img" aria-label={`${percent(value)} ${intervalText(share)}`}>
      <span class="band" style={{ left: at(low), width: at(high - low) }} />
      <span class="tick" style={{ left: at(value) }} />
    </span>
  );
}

export function ShareCell({ share }: { share: Share }) {
  return (
    <>
      {shareText(share)}
      <IntervalBar share={share} />
    </>
  );
}

export function Tile({ title, share }: { title: string; share: Share }) {
  return (
    <div class="tile">
      <h2>
        <Text of={title} />
      </h2>
      <p class="big">{percent(partOf(share))}</p>
      <IntervalBar share={share} />
      <p>
        {count(share.right)} of {count(share.of)}
        {share.low !== null && `, 95% interval ${intervalText(share).slice(1, -1)}`}
      </p>
    </div>
  );
}

export function Bar({ of, all }: { of: Count; all: number }) {
  return <span class="bar" style={{ width: `${(100 * of.count) / all}%` }} />;
}
