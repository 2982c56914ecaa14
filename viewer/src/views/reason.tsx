/** Why the cause of a sample was chosen: the rule, the facts that it matched, and what confirmed or refuted it. */
import type { Attempt, Reason, SampleDocument } from "../api";
import { definitionOf } from "../glossary";
import { causeLabel, label } from "../labels";
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
  return (
    <section class="reason" aria-label="Why this cause">
      <h2>
        <Defined term="term:cause">Cause</Defined>:{" "}
        <Defined term={`cause:${cause}`}>
          <Text of={causeLabel(cause)} />
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
        <Text of={testText(reason, sample.attempts)} />
      </p>
      <RuleView reason={reason} condition={definitionOf(`cause:${cause}`)} />
    </section>
  );
}

/** Which rule chose the cause, and which later ones match as well. */
function RuleView({ reason, condition }: { reason: Reason; condition: string | null }) {
  const { rule, rules, also_matching } = reason;
  if (rule === null) return <p class="note">None of the {rules} rules matches.</p>;
  return (
    <details>
      <summary>
        Rule {rule} of {rules}
      </summary>
      <p class="note">
        The rules are tried in a fixed order. Rule {rule} of {rules} is the first that matches
        {condition === null ? "." : ": "}
        {condition !== null && <Text of={sentence(condition, false)} />}
        {also_matching.length > 0 && (
          <>
            {" "}
            Later rules that match, too:{" "}
            {also_matching.map((name, index) => (
              <>
                {index > 0 && ", "}
                <Defined term={`cause:${name}`}>
                  <Text of={causeLabel(name)} />
                </Defined>
              </>
            ))}
            .
          </>
        )}
      </p>
    </details>
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
