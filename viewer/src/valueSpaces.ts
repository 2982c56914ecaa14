/** Spaces of two values that differ: whether the reader must see every one of them. */
import { type DiffChunk, diffText } from "./diff";
import { type Marks, stringTest } from "./escape";

/** Of longer values, only those that differ in nothing else have their spaces marked, to bound the time. */
const MAX_CHARS = 5_000;

/** The marks of two values that differ: all spaces, if the difference contains or touches one. */
export function spaceMarks(actual: string, predicted: string): Marks {
  return differsInSpaces(actual, predicted) ? "spaces" : "lookalikes";
}

/**
 * Whether two values differ in spaces only, or the difference contains or touches a space of a string. The spaces between
 * the items of a container do not count.
 *
 * "'a b'", "'a c'" -> true; "'ab'", "'ac'" -> false; "[1, 2]", "[1, 3]" -> false
 */
export function differsInSpaces(actual: string, predicted: string): boolean {
  if (actual === predicted) return false;
  if (differsOnlyInSpaces(actual, predicted)) return true;
  if (Math.max(actual.length, predicted.length) > MAX_CHARS) return false;
  const end = { actual: 0, predicted: 0 };
  const isSpace = { actual: spaceTest(actual), predicted: spaceTest(predicted) };
  for (const chunk of diffText(actual, predicted)) {
    for (const side of ["actual", "predicted"] as const) {
      const from = end[side];
      end[side] += chunk[side].length;
      if (chunk.isSame) continue;
      // The character before the difference, those in it, and the one after it.
      for (let index = from - 1; index <= end[side]; index++) if (isSpace[side](index)) return true;
    }
  }
  return false;
}

/** Whether two texts are the same but for their white space. */
export function differsOnlyInSpaces(one: string, other: string): boolean {
  return one !== other && withoutSpaces(one) === withoutSpaces(other);
}

const withoutSpaces = (text: string) => text.replace(/\s+/g, "");

/** A function that tells whether an index is that of a space in a string. */
function spaceTest(text: string): (index: number) => boolean {
  const isInString = stringTest(text);
  return (index) => text[index] === " " && isInString(index);
}

/** Whether two texts are different source lines, which are not compared by character: a wrong next line. */
export function areOtherLines(where: string, actual: string, predicted: string): boolean {
  return (where === "action" || where === "end") && !differsOnlyInSpaces(actual.trimEnd(), predicted.trimEnd());
}

/** What is marked in the two sides of a divergence: different source lines are shown whole, without marks of spaces. */
export function compareSides(
  where: string,
  actual: string,
  predicted: string,
): { chunks: DiffChunk<string>[]; marks: Marks } {
  return areOtherLines(where, actual, predicted)
    ? { chunks: [{ isSame: true, actual, predicted }], marks: "lookalikes" }
    : { chunks: diffText(actual, predicted), marks: spaceMarks(actual, predicted) };
}
