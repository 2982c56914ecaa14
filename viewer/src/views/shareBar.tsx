/** Shares with their confidence intervals, as numbers and as bars. */
import type { Share } from "../api";
import { formatCount, formatInterval, formatPercent, formatShare, shareValue } from "../numberFormat";
import { Text } from "./text";

/** A line from 0 to 100%: the band is the interval, the tick is the value. */
export function IntervalBar({ share }: { share: Share }) {
  const { low, high } = share;
  const value = shareValue(share);
  if (value === null || low === null || high === null) return null;
  const position = (part: number) => `${(100 * Math.min(Math.max(part, 0), 1)).toFixed(2)}%`;
  return (
    <span class="interval" role="img" aria-label={`${formatPercent(value)} ${formatInterval(share)}`}>
      <span class="band" style={{ left: position(low), width: position(high - low) }} />
      <span class="tick" style={{ left: position(value) }} />
    </span>
  );
}

export function ShareCell({ share }: { share: Share }) {
  return (
    <>
      {formatShare(share)}
      <IntervalBar share={share} />
    </>
  );
}

/** A large percentage with its counts and interval below. */
export function ShareTile({ title, share }: { title: string; share: Share }) {
  return (
    <div class="tile">
      <h2>
        <Text of={title} />
      </h2>
      <p class="big">{formatPercent(shareValue(share))}</p>
      <IntervalBar share={share} />
      <p>
        {formatCount(share.correct)} of {formatCount(share.of)}
        {share.low !== null && `, 95% interval ${formatInterval(share).slice(1, -1)}`}
      </p>
    </div>
  );
}
