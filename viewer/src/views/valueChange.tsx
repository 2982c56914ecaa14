/** The value that a model predicted, struck out, and the actual one. */
import { Text } from "./text";

export function ValueChange({ actual, predicted }: { actual: string; predicted: string }) {
  return (
    <span class="value-change">
      <del>
        <span class="visually-hidden">Predicted </span>
        <bdi class="value">{predicted === "" ? "nothing" : <Text of={predicted} marks="value" />}</bdi>
      </del>{" "}
      <span class="arrow" aria-hidden="true">
        →
      </span>{" "}
      <ins>
        <span class="visually-hidden">Actual </span>
        <bdi class="value">{actual === "" ? "nothing" : <Text of={actual} marks="value" />}</bdi>
      </ins>
    </span>
  );
}
