/** The repeated answers of a run next to the exact distributions: means, and a row for each question. */
import type { DistributionSummary, QuestionDistance } from "../api";
import { formatCount, formatShare, pluralize } from "../numberFormat";
import { toHash } from "../route";
import { DistanceBar, distanceText, formatBits, MEASURES_NOTE } from "./distributionView";
import { IntervalBar } from "./shareBar";
import { Text } from "./text";

const MAX_QUESTIONS = 200;

export function DistributionSummaryView({ summary, index }: { summary: DistributionSummary; index: number }) {
  const { by_question: rows, beyond_chance, impossible } = summary;
  return (
    <>
      <p class="note">
        {pluralize(summary.questions, "question")} with several possible results. The repeated answers are compared with
        the exact distribution of the results. Chance is the distance that as many draws from the exact distribution
        exceed in one of 20 cases. {MEASURES_NOTE}
      </p>
      <dl class="facts distances">
        <div>
          <dt>Impossible answers</dt>
          <dd>
            <IntervalBar share={impossible} />
            {formatShare(impossible)}
          </dd>
        </div>
        <div>
          <dt>Total variation</dt>
          <dd>{summary.total_variation.toFixed(3)} on average</dd>
        </div>
        <div>
          <dt>More than sampling noise</dt>
          <dd>
            <IntervalBar share={beyond_chance} />
            {formatShare(beyond_chance)} of the questions
          </dd>
        </div>
        <div>
          <dt>Jensen–Shannon distance</dt>
          <dd>{summary.jensen_shannon.toFixed(3)} on average</dd>
        </div>
        <div>
          <dt>Log score</dt>
          <dd>
            {formatBits(summary.log_score)} bits on average (best possible {formatBits(summary.best_log_score)})
          </dd>
        </div>
      </dl>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="Distances by question">
        <table class="question-distances">
          <thead>
            <tr>
              <th scope="col">Question</th>
              <th scope="col">Total variation, from 0 to 1</th>
              <th scope="col" class="number">
                TV
              </th>
              <th scope="col" class="number">
                JS
              </th>
              <th scope="col" class="number">
                Impossible answers
              </th>
              <th scope="col" class="number">
                Never predicted
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_QUESTIONS).map((row) => (
              <QuestionRow row={row} index={index} />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > MAX_QUESTIONS && (
        <p class="note">The {formatCount(MAX_QUESTIONS)} questions with the largest total variation.</p>
      )}
      <p class="legend">
        <span class="key chance-part" /> sampling noise <span class="key band-part" /> 95% interval, a line at the
        distance; red: more than sampling noise
      </p>
    </>
  );
}

function QuestionRow({ row, index }: { row: QuestionDistance; index: number }) {
  const { question, sample, total_variation: tv, jensen_shannon: js } = row;
  const name = <Text of={question} />;
  return (
    <tr class={tv.value > tv.chance ? "beyond" : undefined}>
      <th scope="row">
        {sample === null ? name : <a href={toHash({ page: "sample", run: index, id: sample, step: null })}>{name}</a>}
      </th>
      <td class="distance-cell" title={distanceText(tv)}>
        <DistanceBar distance={tv} />
      </td>
      <td class="number">{tv.value.toFixed(3)}</td>
      <td class="number">{js.value.toFixed(3)}</td>
      <td class={row.impossible ? "number some" : "number"}>
        {formatCount(row.impossible)} of {formatCount(row.predictions)}
      </td>
      <td class="number">
        {formatCount(row.never_predicted)} of {formatCount(row.possible)}
      </td>
    </tr>
  );
}
