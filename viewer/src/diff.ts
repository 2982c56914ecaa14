/** Differences of two texts by character, or of two lists of tokens. */

/** A run of items that is the same in both texts, or that differs; either side of a difference may be empty. */
export interface DiffChunk<T> {
  isSame: boolean;
  actual: T;
  predicted: T;
}

// Texts with a longer or more different middle get one difference for all of it, to bound the time.
const MAX_ITEMS = 20_000;
const MAX_EDITS = 500;

/** "kitten", "mitten" -> [k | m] [itten] */
export function diffText(actual: string, predicted: string): DiffChunk<string>[] {
  const [head, tail] = commonEnds(
    actual.length,
    predicted.length,
    (a, b) => actual.charCodeAt(a) === predicted.charCodeAt(b),
  );
  const start = isInsidePair(actual, head) || isInsidePair(predicted, head) ? head - 1 : head;
  const [endA, endB] = [actual.length - tail, predicted.length - tail];
  const shift = isInsidePair(actual, endA) || isInsidePair(predicted, endB) ? 1 : 0;
  const [middleA, middleB] = [actual.slice(start, endA + shift), predicted.slice(start, endB + shift)];
  const chunks: DiffChunk<string>[] = [sameChunk(actual.slice(0, start))];
  if (middleA.length + middleB.length > MAX_ITEMS) chunks.push({ isSame: false, actual: middleA, predicted: middleB });
  else {
    for (const chunk of diffItems(Array.from(middleA), Array.from(middleB)))
      chunks.push({
        isSame: chunk.isSame,
        actual: chunk.actual.join(""),
        predicted: chunk.predicted.join(""),
      });
  }
  chunks.push(sameChunk(actual.slice(endA + shift)));
  return mergeShortMatches(chunks.filter((chunk) => chunk.actual || chunk.predicted));
}

/** Merge short matches between longer differences into one difference: they match by chance. */
function mergeShortMatches(chunks: DiffChunk<string>[]): DiffChunk<string>[] {
  const size = (chunk: DiffChunk<string> | undefined) =>
    Math.max(chunk?.actual.length ?? 0, chunk?.predicted.length ?? 0);
  const merged: DiffChunk<string>[] = [];
  chunks.forEach((chunk, index) => {
    const last = merged.at(-1);
    const isShort = size(chunk) <= size(last) && size(chunk) <= size(chunks[index + 1]);
    if (last && !last.isSame && (isShort || !chunk.isSame)) {
      const [actual, predicted] = [last.actual + chunk.actual, last.predicted + chunk.predicted];
      merged.splice(-1, 1, { isSame: false, actual, predicted });
    } else merged.push(chunk);
  });
  return merged;
}

const sameChunk = (text: string): DiffChunk<string> => ({ isSame: true, actual: text, predicted: text });

/** The fewest edits from one list to the other, by Myers' algorithm. */
export function diffItems(actual: string[], predicted: string[]): DiffChunk<string[]>[] {
  const [head, tail] = commonEnds(actual.length, predicted.length, (a, b) => actual[a] === predicted[b]);
  const a = actual.slice(head, actual.length - tail);
  const b = predicted.slice(head, predicted.length - tail);
  const start: DiffChunk<string[]> = {
    isSame: true,
    actual: actual.slice(0, head),
    predicted: predicted.slice(0, head),
  };
  const rest = actual.slice(actual.length - tail);
  const end: DiffChunk<string[]> = { isSame: true, actual: rest, predicted: rest };
  const replaced: DiffChunk<string[]>[] = [{ isSame: false, actual: a, predicted: b }];
  const middle = a.length + b.length > MAX_ITEMS ? replaced : (edits(a, b) ?? replaced);
  return [start, ...middle, end].filter((chunk) => chunk.actual.length || chunk.predicted.length);
}

/** Number of equal items at the start, and at the end of the rest. */
function commonEnds(lengthA: number, lengthB: number, isSame: (a: number, b: number) => boolean): [number, number] {
  const shorter = Math.min(lengthA, lengthB);
  let head = 0;
  while (head < shorter && isSame(head, head)) head++;
  let tail = 0;
  while (tail < shorter - head && isSame(lengthA - 1 - tail, lengthB - 1 - tail)) tail++;
  return [head, tail];
}

/** Whether the index is inside a surrogate pair. */
function isInsidePair(text: string, index: number): boolean {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff;
}

function edits(a: string[], b: string[]): DiffChunk<string[]>[] | null {
  const furthest = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  const limit = Math.min(a.length + b.length, MAX_EDITS);
  for (let count = 0; count <= limit; count++) {
    history.push(new Map(furthest));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = isDown(furthest, diagonal, count) ? reach(furthest, diagonal + 1) : reach(furthest, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return backtrack(a, b, history);
    }
  }
  return null;
}

const reach = (furthest: Map<number, number>, diagonal: number) => furthest.get(diagonal) ?? -1;

function isDown(furthest: Map<number, number>, diagonal: number, count: number): boolean {
  if (diagonal === -count) return true;
  return diagonal !== count && reach(furthest, diagonal - 1) < reach(furthest, diagonal + 1);
}

function backtrack(a: string[], b: string[], history: Map<number, number>[]): DiffChunk<string[]>[] {
  const chunks: DiffChunk<string[]>[] = [];
  let [x, y] = [a.length, b.length];
  const add = (isSame: boolean, actual: string[], predicted: string[]) => {
    const last = chunks.at(-1);
    if (last?.isSame === isSame) chunks.splice(-1, 1, joined(isSame, actual, predicted, last));
    else chunks.push({ isSame, actual, predicted });
  };
  for (let count = history.length - 1; count >= 0; count--) {
    const furthest = history[count] ?? new Map<number, number>();
    const down = isDown(furthest, x - y, count);
    const fromX = count === 0 ? 0 : reach(furthest, x - y + (down ? 1 : -1)) + (down ? 0 : 1);
    if (x > fromX) add(true, a.slice(fromX, x), b.slice(y - (x - fromX), y));
    y -= x - fromX;
    x = fromX;
    if (count === 0) break;
    if (down) add(false, [], b.slice(--y, y + 1));
    else add(false, a.slice(--x, x + 1), []);
  }
  return chunks.reverse();
}

function joined(
  isSame: boolean,
  actual: string[],
  predicted: string[],
  later: DiffChunk<string[]>,
): DiffChunk<string[]> {
  return { isSame, actual: [...actual, ...later.actual], predicted: [...predicted, ...later.predicted] };
}
