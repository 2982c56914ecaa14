/** The two values that part, compared by character or by token. */
import { useMemo } from "preact/hooks";
import type { Cuts, Divergence } from "../contract";
import { diffItems, diffText, type Stretch } from "../diff";
import { count } from "../numbers";
import { slice } from "../visible";
import { Text, Value } from "./text";

/** What is the same is cut to so much on each side of a difference, and a difference to so much. */
const [AROUND, MOST] = [60, 2_000];
const MOST_STRETCHES = 300;
const MOST_TOKENS = 2_000;

interface Props {
  divergence: Divergence;
  cuts: Cuts | null;
  byToken: boolean;
  choose: (byToken: boolean) => void;
}

export function DivergenceView({ divergence, cuts, byToken, choose }: Props) {
  const { variable, where, differences } = divergence;
  const others = differences.filter((difference) => difference.name !== variable);
  return (
    <section class="divergence" aria-label="divergence">
      <h2>
        ✗ step {divergence.step}: <Text of={where} />{" "}
        {variable !== null && (
          <code>
            <Text of={variable} />
          </code>
        )}
      </h2>
      {cuts && (
        <div class="switch" role="group" aria-label="compare by">
          <button type="button" aria-pressed={!byToken} onClick={() => choose(false)}>
            by character
          </button>
          <button type="button" aria-pressed={byToken} onClick={() => choose(true)}>
            by token
          </button>
        </div>
      )}
      {cuts && byToken ? (
        <ByToken cuts={cuts} />
      ) : (
        <ByCharacter real={divergence.true} imagined={divergence.predicted} />
      )}
      {others.length > 0 && <Others others={others} />}
    </section>
  );
}

function ByCharacter({ real, imagined }: { real: string; imagined: string }) {
  const stretches = useMemo(() => diffText(real, imagined), [real, imagined]);
  return (
    <dl class="pair">
      {(["real", "imagined"] as const).map((side) => (
        <div>
          <dt>{side}</dt>
          <dd>
            <bdi class="value">
              {stretches.slice(0, MOST_STRETCHES).map((stretch, at) => (
                <StretchView stretch={stretch} side={side} isFirst={at === 0} isLast={at === stretches.length - 1} />
              ))}
              {stretches.length > MOST_STRETCHES && " …"}
            </bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface StretchProps {
  stretch: Stretch<string>;
  side: "real" | "imagined";
  isFirst: boolean;
  isLast: boolean;
}

function StretchView({ stretch, side, isFirst, isLast }: StretchProps) {
  const text = stretch[side];
  if (!stretch.isSame) {
    if (text === "")
      return (
        <mark class="nothing" title="nothing here">
          ‸
        </mark>
      );
    return (
      <mark>
        <Text of={slice(text, 0, MOST)} />
        {text.length > MOST && <More left={text.length - MOST} />}
      </mark>
    );
  }
  if (text.length <= 2 * AROUND + 20) return <Text of={text} />;
  return (
    <>
      {!isFirst && <Text of={slice(text, 0, AROUND)} />}
      <More left={text.length - AROUND * (isFirst || isLast ? 1 : 2)} />
      {!isLast && <Text of={slice(text, text.length - AROUND, text.length)} />}
    </>
  );
}

function More({ left }: { left: number }) {
  return <span class="more"> … {count(left)} characters … </span>;
}

function ByToken({ cuts }: { cuts: Cuts }) {
  const stretches = useMemo(() => diffItems(cuts.true, cuts.predicted), [cuts]);
  const sides = [
    ["real", cuts.true.length],
    ["imagined", cuts.predicted.length],
  ] as const;
  return (
    <>
      <dl class="pair">
        {sides.map(([side, length]) => (
          <div>
            <dt>
              {side} <span class="soft">{length === 1 ? "1 token" : `${count(length)} tokens`}</span>
            </dt>
            <dd>
              <Tokens stretches={stretches} side={side} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="note">
        Cut by the vocabulary <Text of={cuts.vocabulary} />.
      </p>
    </>
  );
}

function Tokens({ stretches, side }: { stretches: Stretch<string[]>[]; side: "real" | "imagined" }) {
  const tokens = stretches.flatMap((stretch) => stretch[side].map((text) => ({ text, isSame: stretch.isSame })));
  return (
    <bdi class="value">
      {tokens.slice(0, MOST_TOKENS).map(({ text, isSame }) =>
        isSame ? (
          <span class="token">
            <Text of={slice(text, 0, MOST)} />
          </span>
        ) : (
          <mark class="token">
            <Text of={slice(text, 0, MOST)} />
          </mark>
        ),
      )}
      {tokens.length > MOST_TOKENS && <span class="more"> … {count(tokens.length - MOST_TOKENS)} tokens</span>}
    </bdi>
  );
}

function Others({ others }: { others: Divergence["differences"] }) {
  return (
    <details>
      <summary>{count(others.length)} more that differ in this step</summary>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="more that differ">
        <table class="state">
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">real</th>
              <th scope="col">imagined</th>
            </tr>
          </thead>
          <tbody>
            {others.slice(0, 200).map((other) => (
              <tr>
                <th scope="row">
                  <Text of={other.name} />
                </th>
                <td>{other.true === null ? "not there" : <Value of={other.true} />}</td>
                <td>{other.predicted === null ? "not there" : <Value of={other.predicted} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
