/** The actual value, and the one that a model predicted. */
import { useMemo } from "preact/hooks";
import { compareSides, spaceMarks } from "../valueSpaces";
import { MarkedValue, type Side, SIDE_TITLES } from "./markedValue";
import { AllSpaces, Text } from "./text";

interface Props {
  actual: string;
  predicted: string;
}

/** On one line, with an arrow between them. */
export function ValueChange({ actual, predicted }: Props) {
  const marks = spaceMarks(actual, predicted);
  const value = (side: Side, text: string) => (
    <>
      <span class="visually-hidden">{SIDE_TITLES[side]} </span>
      <bdi class="value">{text === "" ? "nothing" : <Text of={text} marks={marks} />}</bdi>
    </>
  );
  return (
    <span class="value-change">
      <ins>{value("actual", actual)}</ins>{" "}
      <span class="arrow" aria-hidden="true">
        →{" "}
      </span>
      <del>{value("predicted", predicted)}</del>
    </span>
  );
}

/** On two lines that begin with "Actual" and "Predicted"; what differs is marked, unless it is the whole line. */
export function LabelledChange({ actual, predicted, where }: Props & { where: string }) {
  const { chunks, marks } = useMemo(() => compareSides(where, actual, predicted), [where, actual, predicted]);
  const value = (side: Side, text: string) => (
    <>
      <span class="side">{SIDE_TITLES[side]} </span>
      {text === "" ? <bdi class="value">nothing</bdi> : <MarkedValue chunks={chunks} side={side} />}
    </>
  );
  return (
    <AllSpaces.Provider value={marks === "spaces"}>
      <span class="value-change labelled">
        <ins class="actual-side">{value("actual", actual)}</ins>
        <del class="predicted-side">{value("predicted", predicted)}</del>
      </span>
    </AllSpaces.Provider>
  );
}
