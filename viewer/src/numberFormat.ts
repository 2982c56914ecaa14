/** Formatting of counts, shares, intervals and p-values. */
import type { Difference, Share } from "./api";

/** 12345 -> "12,345" */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

/** 1, "token" -> "1 token"; 1200, "token" -> "1,200 tokens" */
export function pluralize(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** 0.1234 -> "12.3%" */
export function formatPercent(value: number | null): string {
  return value === null ? "–" : `${roundPercent(value)}%`;
}

/** The share as a number; null if it is a share of nothing. */
export function shareValue({ correct, of }: Share): number | null {
  return of ? correct / of : null;
}

/** "9 of 86: 10.5% (5.6 to 18.7)" */
export function formatShare(share: Share): string {
  const counts = `${formatCount(share.correct)} of ${formatCount(share.of)}`;
  return share.of ? `${counts}: ${formatPercent(shareValue(share))} ${formatInterval(share)}` : counts;
}

/** "(5.6 to 18.7)" */
export function formatInterval({ low, high }: { low: number | null; high: number | null }): string {
  return low === null || high === null ? "" : `(${formatTenths(low)} to ${formatTenths(high)})`;
}

/** 0.032 -> "+3.2" */
export function formatPoints(value: number | null): string {
  if (value === null) return "–";
  const text = formatTenths(value);
  return text === "0.0" || text === "−0.0" ? "0.0" : value > 0 ? `+${text}` : text;
}

/** "−1.0 to +7.4" */
export function formatDifferenceInterval({ low, high }: Difference): string {
  return low === null || high === null ? "none" : `${formatPoints(low)} to ${formatPoints(high)}`;
}

/** 0.3525 -> "35.2": a half is rounded to the even digit, as in the sentences that Python writes. */
function roundPercent(value: number): string {
  const percent = 100 * value;
  // Other halves have no exact representation, and are rounded as in Python.
  const isHalf = Math.abs(percent % 0.5) === 0.25;
  return (isHalf ? Math.round(5 * percent) / 5 : percent).toFixed(1);
}

/** -0.0123 -> "−1.2" */
function formatTenths(value: number): string {
  return roundPercent(value).replace("-", "−");
}

/** 0.0004 -> "< 0.001", 0.0123 -> "0.012", 0.375 -> "0.38", 1 -> "1": as in the terminal */
export function formatPValue(p: number): string {
  return p < 0.001 ? "< 0.001" : p < 0.1 ? p.toFixed(3) : p < 0.995 ? p.toFixed(2) : "1";
}
