/** The selected step, and the slider and buttons that change it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SampleDocument } from "../api";
import { navigate } from "../navigation";
import { formatCount } from "../numberFormat";
import type { SampleRoute } from "../route";

/** Milliseconds without a change before the URL is updated: browsers limit how often that is possible. */
const URL_DELAY = 150;

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
  choose: (step: number) => void;
}

export function StepBar({ sample, step, length, moves, choose }: StepBarProps) {
  const last = Math.max(length - 1, 1);
  const position = (step: number) => `${(100 * Math.min(step, last)) / last}%`;
  return (
    <div class="step-bar" role="group" aria-label="Step navigation">
      <span class="moves">
        {moves.map((move) => (
          <button type="button" title={move.title} onClick={() => choose(move.to)}>
            {move.text}
          </button>
        ))}
      </span>
      <span class="slider">
        <input
          type="range"
          min={0}
          max={length - 1}
          value={step}
          aria-label="Step"
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
        <span class="track" aria-hidden="true">
          <span class="matched" style={{ width: position(sample.matched_steps) }} />
          {sample.divergence && (
            <span class="cross" style={{ left: position(sample.divergence.step) }}>
              ✗
            </span>
          )}
        </span>
      </span>
      <span class="muted" role="status">
        Step {formatCount(step)} of {formatCount(length - 1)}
      </span>
    </div>
  );
}
