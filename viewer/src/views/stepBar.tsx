/** The selected step, and the slider and buttons that change it. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SampleDocument } from "../api";
import type { Lanes } from "../lanes";
import { buildMinimap } from "../minimap";
import { navigate } from "../navigation";
import { formatCount } from "../numberFormat";
import type { SampleRoute } from "../route";
import { LaneStrip, stripHeight } from "./threadLanes";

/** Milliseconds without a change before the URL is updated: browsers limit how often that is possible. */
const URL_DELAY = 150;

const SEGMENT_TITLES = {
  same: "match",
  different: "differ",
  reconverged: "match again",
  missing: "in one execution only",
};
type SegmentKind = keyof typeof SEGMENT_TITLES;

/** The selected step, and a function to select another; the URL follows after a delay. */
export function useStep(route: SampleRoute, first: number, length: number): [number, (step: number) => void] {
  const clamp = (step: number) => Math.min(Math.max(step, 0), Math.max(length - 1, 0));
  const [step, setStep] = useState(clamp(route.step ?? first));
  const stepInUrl = useRef(route.step);
  useEffect(() => {
    // The URL was changed by a link or the Back button.
    if (route.step !== stepInUrl.current) setStep(clamp(route.step ?? first));
    stepInUrl.current = route.step;
  }, [route.step]);
  useEffect(() => {
    if (step === clamp(route.step ?? first)) return;
    const timer = setTimeout(() => {
      stepInUrl.current = step;
      navigate({ ...route, step }, { replace: true });
    }, URL_DELAY);
    return () => clearTimeout(timer);
  }, [step]);
  return [step, (next) => setStep(clamp(next))];
}

export interface Move {
  key: string;
  text: string;
  title: string;
  to: number;
}

interface StepBarProps {
  sample: SampleDocument;
  step: number;
  length: number;
  moves: Move[];
  lanes: Lanes | null;
  choose: (step: number) => void;
}

export function StepBar({ sample, step, length, moves, lanes, choose }: StepBarProps) {
  const segments = useMemo(() => buildMinimap(sample, length), [sample, length]);
  return (
    <div class="step-bar" role="group" aria-label="Step navigation">
      <span class="moves">
        {moves.map((move) => (
          <button type="button" title={move.title} onClick={() => choose(move.to)}>
            {move.text}
          </button>
        ))}
      </span>
      <span class="slider" style={lanes ? { height: `${37 + stripHeight(lanes)}px` } : undefined}>
        <input
          type="range"
          min={0}
          max={length - 1}
          value={step}
          aria-label="Step"
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
        <svg
          class="minimap"
          style={{ top: "26px" }}
          viewBox={`0 0 ${length} 1`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {segments.map(({ kind, from, to }) => (
            <rect class={kind} x={from} width={to - from} height={1} onClick={() => choose(from)}>
              <title>{`Steps ${from} to ${to - 1}: ${SEGMENT_TITLES[kind]}`}</title>
            </rect>
          ))}
          {sample.divergence && <rect class="divergence-mark" x={sample.divergence.step} width={1} height={1} />}
        </svg>
        {lanes && <LaneStrip lanes={lanes} length={length} choose={choose} />}
      </span>
      <span class="muted step-number" role="status">
        Step {formatCount(step)} of {formatCount(length - 1)}
      </span>
      <Legend
        kinds={segments.map(({ kind }) => kind)}
        hasDivergence={sample.divergence !== null}
        hasPreemptions={(lanes?.preemptions.length ?? 0) > 0}
      />
    </div>
  );
}

/** What the colours of the bar mean; colours that do not occur are left out. */
function Legend(props: { kinds: SegmentKind[]; hasDivergence: boolean; hasPreemptions: boolean }) {
  const { kinds, hasDivergence, hasPreemptions } = props;
  const shown = (Object.keys(SEGMENT_TITLES) as SegmentKind[]).filter((kind) => kinds.includes(kind));
  return (
    <span class="legend bar-legend">
      {hasDivergence && (
        <span>
          <span class="key divergence-mark" /> first divergence
        </span>
      )}
      {shown.map((kind) => (
        <span>
          <span class={`key ${kind}`} /> {SEGMENT_TITLES[kind]}
        </span>
      ))}
      {hasPreemptions && (
        <span>
          <span class="key preemption" /> preemption
        </span>
      )}
    </span>
  );
}
