/** The step one looks at, and what moves it. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { SampleAddress } from "../address";
import type { SampleDocument } from "../contract";
import { go } from "../navigate";
import { count } from "../numbers";

/** The address follows the step when it rests: browsers refuse to be told of every one. */
const REST = 150;

/** The step one looks at: at once in the page, and in the address when it rests. */
export function useStep(address: SampleAddress, first: number, length: number): [number, (step: number) => void] {
  const within = (step: number) => Math.min(Math.max(step, 0), Math.max(length - 1, 0));
  const [step, setStep] = useState(within(address.step ?? first));
  const written = useRef(address.step);
  useEffect(() => {
    // Moved from outside: a link, or Back.
    if (address.step !== written.current) setStep(within(address.step ?? first));
    written.current = address.step;
  }, [address.step]);
  useEffect(() => {
    if (step === within(address.step ?? first)) return;
    const timer = setTimeout(() => {
      written.current = step;
      go({ ...address, step }, { replace: true });
    }, REST);
    return () => clearTimeout(timer);
  }, [step]);
  return [step, (next) => setStep(within(next))];
}

export interface Move {
  key: string;
  text: string;
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
  const at = (place: number) => `${(100 * Math.min(place, last)) / last}%`;
  return (
    <div class="step-bar" role="group" aria-label="move in time">
      <span class="moves">
        {moves.map((move) => (
          <button type="button" onClick={() => choose(move.to)}>
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
          aria-label="step"
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
        <span class="track" aria-hidden="true">
          <span class="matched" style={{ width: at(sample.matched) }} />
          {sample.divergence && (
            <span class="cross" style={{ left: at(sample.divergence.step) }}>
              ✗
            </span>
          )}
        </span>
      </span>
      <span class="soft" role="status">
        step {count(step)} / {count(length - 1)}
      </span>
    </div>
  );
}
