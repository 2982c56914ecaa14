/** The execution in a strip: which steps match, differ, or exist on one side only. */
import type { SampleDocument } from "./api";

export type SegmentKind = "same" | "different" | "reconverged" | "missing";

export interface Segment {
  kind: SegmentKind;
  from: number;
  /** The step after the last one. */
  to: number;
}

/** Consecutive steps of the same kind: [{kind: "same", from: 0, to: 5}, {kind: "different", from: 5, to: 8}] */
export function buildMinimap(sample: SampleDocument, length: number): Segment[] {
  const segments: Segment[] = [];
  for (let step = 0; step < length; step++) {
    const kind = kindOf(sample, step);
    const last = segments.at(-1);
    if (last?.kind === kind) last.to = step + 1;
    else segments.push({ kind, from: step, to: step + 1 });
  }
  return segments;
}

function kindOf(
  { divergence, actual, predicted, matches_after_divergence }: SampleDocument,
  step: number,
): SegmentKind {
  if (divergence && step === divergence.step) return "different";
  if (actual.steps[step]?.is_gap || predicted.steps[step]?.is_gap) return "missing";
  if (step >= actual.steps.length || step >= predicted.steps.length) return "missing";
  if (!divergence || step < divergence.step) return "same";
  return matches_after_divergence[step - divergence.step] ? "reconverged" : "different";
}
