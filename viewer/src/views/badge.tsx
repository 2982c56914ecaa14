/** Badges of verdicts, outcomes and causes. */
import { label } from "../labels";
import { Icon, type IconName } from "./icons";
import { Text } from "./text";

/** The colour and the icon of a verdict or an outcome. */
const STYLES: Record<string, [tone: string, icon: IconName]> = {
  correct: ["good", "correct"],
  incorrect: ["bad", "incorrect"],
  diverged: ["bad", "diverged"],
  answer_mismatch: ["bad", "incorrect"],
  reference_mismatch: ["neutral", "no_answer"],
  no_answer: ["warn", "no_answer"],
  malformed: ["warn", "no_answer"],
  empty_output: ["warn", "no_answer"],
  truncated: ["warn", "truncated"],
  infra_error: ["neutral", "infra_error"],
};

/** "incorrect" -> a red badge "Incorrect"; an identifier without a colour gets a plain badge. */
export function Badge({ of, title }: { of: string; title?: string }) {
  const [tone, icon] = STYLES[of] ?? ["plain", null];
  return (
    <span class={`badge ${tone}`} title={title}>
      {icon !== null && <Icon name={icon} />}
      <Text of={label(of)} />
    </span>
  );
}
