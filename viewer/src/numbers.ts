/** Numbers as people read them. */
import type { Difference, Share } from "./contract";

/** 12345 -> "12,345" */
export function count(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

/** 0.1234 -> "12.3%" */
export function percent(value: number | null): string {
  return value === null ? "–" : `${(100 * value).toFixed(1)}%`;
}

/** The share itself; none of nothing. */
export function partOf({ right, of }: Share): number | null {
  return of ? right / of : null;
}

/** "9 of 86: 10.5% (5.6 to 18.7)" */
export function shareText(share: Share): string {
  const counts = `${count(share.right)} of ${count(share.of)}`;
  return share.of ? `${counts}: ${percent(partOf(share))} ${intervalText(share)}` : counts;
}

/** "(5.6 to 18.7)" */
export function intervalText({ low, high }: { low: number | null; high: number | null }): string {
  return low === null || high === null ? "" : `(${tenths(low)} to ${tenths(high)})`;
}

/** 0.032 -> "+3.2" */
export function pointsText(value: number | null): string {
  if (value === null) return "–";
  const text = tenths(value);
  return text === "0.0" || text === "−0.0" ? "0.0" : value > 0 ? `+${text}` : text;
}

/** "−1.0 to +7.4" */
export function differenceInterval({ low, high }: Difference): string {
  return low === null || high === null ? "none" : `${pointsText(low)} to ${pointsText(high)}`;
}

/** -0.0123 -> "−1.2" */
function tenths(value: number): string {
  return (100 * value).toFixed(1).replace("-", "−");
}

/** 0.0004 -> "< 0.001", 0.0123 -> "0.012", 0.375 -> "0.38", 1 -> "1": as the terminal says it */
export function pText(p: number): string {
  return p < 0.001 ? "< 0.001" : p < 0.1 ? p.toFixed(3) : p < 0.995 ? p.toFixed(2) : "1";
}
