/** Why samples failed, what was tried on them, and what came of it. */
import type { CauseCount, Effect, Interventions, RunDocument } from "../contract";
import { count } from "../numbers";
import { Counts, type Extra } from "./counts";
import { ShareCell } from "./share";
import { Text } from "./text";

const SENTENCE: Extra<CauseCount> = {
  title: "what it says",
  style: "sentence",
  cell: (cause) => <Text of={cause.sentence} />,
};
const CONFIRMED: Extra<CauseCount> = {
  title: "confirmed by an intervention",
  style: "nowrap",
  cell: (cause) => (cause.confirmed ? <ShareCell share={cause.confirmed} /> : "not tried"),
};

export function Causes({ run, index }: { run: RunDocument; index: number }) {
  const extras = run.interventions ? [SENTENCE, CONFIRMED] : [SENTENCE];
  return (
    <Counts run={run} index={index} facet="cause" counts={run.causes} none="No failure has a cause." extras={extras} />
  );
}

/** What was tried and what came of it: on all failures first, and by cause where one asks. */
export function Effects({ interventions }: { interventions: Interventions | null }) {
  if (!interventions) return <p class="note">None was tried. Until one is, every cause is a hypothesis.</p>;
  return (
    <>
      <ul class="told">
        {interventions.fixes.map((line) => (
          <li>
            <Text of={line} />
          </li>
        ))}
      </ul>
      <EffectTable
        title={`Each intervention on all that it was tried on, of ${count(interventions.failures)} failures`}
        effects={interventions.effects.filter((effect) => effect.cause === null)}
        about={["what it changes", "truth"]}
        tell={(effect) => [effect.changes, effect.needs_truth ? "needed" : ""]}
      />
      <details>
        <summary>by cause</summary>
        <EffectTable
          title="Turned right, by cause and intervention"
          effects={interventions.effects.filter((effect) => effect.cause !== null)}
          about={["cause"]}
          tell={(effect) => [effect.cause ?? ""]}
        />
      </details>
    </>
  );
}

interface EffectProps {
  title: string;
  effects: Effect[];
  /** Further columns: their heads, and what stands in them. */
  about: string[];
  tell: (effect: Effect) => string[];
}

function EffectTable({ title, effects, about, tell }: EffectProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {["intervention", ...about, "turned right"].map((head) => (
              <th scope="col">{head}</th>
            ))}
            <th scope="col" class="number">
              tokens written
            </th>
          </tr>
        </thead>
        <tbody>
          {effects.map((effect) => (
            <tr>
              <th scope="row">
                <Text of={effect.intervention} />
              </th>
              {tell(effect).map((text) => (
                <td>
                  <Text of={text} />
                </td>
              ))}
              <td class="nowrap">
                <ShareCell share={effect.recovered} />
              </td>
              <td class="number">{effect.tokens === null ? "–" : `${effect.tokens.toFixed(2)}×`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
