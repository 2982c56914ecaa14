/** What the token budget did, and what the same traces would take of it in other formats. */
import { useState } from "preact/hooks";
import type { Budget, RunDocument, Source } from "../contract";
import { count, percent } from "../numbers";
import { sentence } from "../source/problem";
import { Message } from "./message";
import { NumberTitles } from "./number-titles";
import { Text } from "./text";

export function BudgetView({ source, run, index }: { source: Source; run: RunDocument; index: number }) {
  const [budget, setBudget] = useState(run.budget);
  const isScored = run.scored.length > 0;
  const { written_tokens: written } = budget;
  const limit = budget.budget === null ? "The budget is not known" : `${count(budget.budget)} tokens a sample`;
  return (
    <>
      {isScored ? (
        <p>Nothing was written: the truth was given, and scored.</p>
      ) : (
        <p>
          {limit}, {count(budget.cut)} cut.{" "}
          {written &&
            `Written: ${count(written.total)} tokens in all, median ${count(written.median)}, ${count(written.most)} at most.`}
        </p>
      )}
      {budget.formats.length > 0 && <Formats formats={budget.formats} />}
      {budget.formats.length === 0 && !budget.can_count && (
        <p class="note">What other formats would take is counted with the option --tokenizer.</p>
      )}
      {budget.can_count && <Count source={source} index={index} take={setBudget} />}
      {budget.vocabulary && (
        <p class="note">
          Formats are counted with the vocabulary <Text of={budget.vocabulary} />.
        </p>
      )}
    </>
  );
}

function Formats({ formats }: { formats: Budget["formats"] }) {
  const first = formats[0]?.tokens ?? 0;
  // Where the budget is not known, nothing fits or does not.
  const fits = formats.some((format) => format.fit !== null) ? ["would fit"] : [];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="tokens by format">
      <table>
        <thead>
          <tr>
            <th scope="col">the same traces as</th>
            <NumberTitles of={["tokens", "of the first", ...fits]} />
          </tr>
        </thead>
        <tbody>
          {formats.map((format) => (
            <tr>
              <th scope="row">
                <Text of={format.codec} />
              </th>
              <td class="number">{count(format.tokens)}</td>
              <td class="number">{percent(first ? format.tokens / first : null)}</td>
              {fits.length > 0 && (
                <td class="number">{format.fit === null ? "–" : `${count(format.fit)} of ${count(format.of)}`}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Executes all programs of the run, when someone wants that. */
function Count({ source, index, take }: { source: Source; index: number; take: (budget: Budget) => void }) {
  const [isCounting, setCounting] = useState(false);
  const [why, setWhy] = useState<string | null>(null);
  const ask = () => {
    setCounting(true);
    setWhy(null);
    source
      .budget(index)
      .then(take, (error: unknown) => setWhy(sentence(error)))
      .finally(() => setCounting(false));
  };
  if (why !== null) return <Message text={why} again={ask} />;
  return (
    <button type="button" disabled={isCounting} onClick={ask}>
      {isCounting ? "Executing all programs …" : "Count what other formats would take"}
    </button>
  );
}
