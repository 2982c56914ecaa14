/** Badges of verdicts, outcomes and causes. */
import { definitionOf, type Term } from "../glossary";
import { columnLabel } from "../labels";
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
  possible: ["good", "correct"],
  impossible: ["bad", "incorrect"],
  undecided: ["warn", "no_answer"],
};

interface Props {
  of: string;
  /** The column whose label is shown. */
  column: "verdict" | "outcome" | "cause" | "possibility";
  title?: string;
  /** The code's key in the glossary. */
  term?: Term | undefined;
  /** The badge is not part of a link or a button: it can be focused, to read its definition. */
  isFocusable?: boolean;
}

/** "verdict", "incorrect" -> a red badge "Incorrect"; an identifier without a colour gets a plain badge. */
export function Badge({ of, column, title, term, isFocusable = false }: Props) {
  const [tone, icon] = STYLES[of] ?? ["plain", null];
  const isDefined = term !== undefined && definitionOf(term) !== null;
  return (
    <span
      class={`badge ${tone}`}
      title={isDefined ? undefined : title}
      data-term={term}
      tabIndex={isFocusable && isDefined ? 0 : undefined}
    >
      {icon !== null && <Icon name={icon} />}
      {title !== undefined && <span class="visually-hidden">{title}: </span>}
      <Text of={columnLabel(column, of)} />
    </span>
  );
}
