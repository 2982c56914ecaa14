/** Why the cause of a sample was chosen: the rule, the facts that it matched, and what confirmed or refuted it. */
import type { Attempt, Reason, SampleDocument } from "../api";
import { definitionOf } from "../glossary";
import { label } from "../labels";
import { Defined } from "./defined";
import { Text } from "./text";

const STATUS: Record<Reason["status"], [tone: string, text: string]> = {
  confirmed: ["good", "Confirmed"],
  refuted: ["bad", "Refuted"],
  hypothesis: ["warn", "Hypothesis"],
  fact: ["neutral", "Fact"],
};

export function ReasonView({ sample }: { sample: SampleDocument }) {
  const { reason, cause } = sample;
  if (reason === null || cause === null) return null;
  const [tone, status] = STATUS[reason.status];
  const condition = definitionOf(`cause:${cause}`);
  return (
    <section class="reason" aria-label="Why this cause">
      <h2>
        <Defined term="term:cause">Cause</Defined>:{" "}
        <Defined term={`cause:${cause}`}>
          <Text of={label(cause)} />
        </Defined>{" "}
        <span class={`badge ${tone}`}>{status}</span>
      </h2>
      <p>
        <Text of={sentence(reason.sentence)} />
      </p>
      {reason.facts.length > 0 && (
        <ul>
          {reason.facts.map((fact) => (
            <li>
              <Text of={sentence(fact)} marks="sentence" />
            </li>
          ))}
        </ul>
      )}
      <p class="note">
        {reason.rule === null
          ? `None of the ${reason.rules} rules matches.`
          : `Rule ${reason.rule} of ${reason.rules}, the first that matches${condition === null ? "" : ": "}`}
        {reason.rule !== null && condition !== null && <Text of={sentence(condition, false)} />}
        {reason.also_matching.length > 0 && (
          <>
            {" "}
            Later rules that match, too:{" "}
            {reason.also_matching.map((name, index) => (
              <>
                {index > 0 && ", "}
                <Defined term={`cause:${name}`}>
                  <Text of={label(name)} />
                </Defined>
              </>
            ))}
            .
          </>
        )}
      </p>
      <p class="note">
        <Text of={testText(reason, sample.attempts)} />
      </p>
    </section>
  );
}

/** Confirmed by "Patch" (writes the actual step …): turned correct. */
function testText({ status, tested_by }: Reason, attempts: Attempt[]): string {
  if (status === "fact") return "The two executions show it; no intervention is needed.";
  if (tested_by === null) return "A hypothesis: no intervention has confirmed or refuted it.";
  const attempt = attempts.find((each) => each.intervention === tested_by);
  const detail = attempt ? ` (${attempt.description}): ${attempt.result}` : "";
  const verb = status === "confirmed" ? "Confirmed" : "Removed without effect, and so refuted,";
  return `${verb} by "${label(tested_by)}"${detail}.`;
}

/** "copied wrongly" -> "Copied wrongly." */
function sentence(text: string, isCapital = true): string {
  const start = isCapital ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
