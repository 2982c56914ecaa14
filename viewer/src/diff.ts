/** Two texts in, what is the same and what differs out: by character, or by pieces such as tokens. */

/** What stands in both (the same list twice), or what one has where the other has something else or nothing. */
export interface Stretch<T> {
  isSame: boolean;
  real: T;
  imagined: T;
}

// Beyond these, the middle of two texts is told as one difference: looking closer would take too long.
const MOST_ITEMS = 20_000;
const MOST_EDITS = 500;

/** "kitten", "mitten" -> [k | m] [itten] */
export function diffText(real: string, imagined: string): Stretch<string>[] {
  const [head, tail] = ends(real.length, imagined.length, (a, b) => real.charCodeAt(a) === imagined.charCodeAt(b));
  const start = isInPair(real, head) || isInPair(imagined, head) ? head - 1 : head;
  const [endA, endB] = [real.length - tail, imagined.length - tail];
  const shift = isInPair(real, endA) || isInPair(imagined, endB) ? 1 : 0;
  const [middleA, middleB] = [real.slice(start, endA + shift), imagined.slice(start, endB + shift)];
  const stretches: Stretch<string>[] = [sameStretch(real.slice(0, start))];
  if (middleA.length + middleB.length > MOST_ITEMS) stretches.push({ isSame: false, real: middleA, imagined: middleB });
  else {
    for (const stretch of diffItems(Array.from(middleA), Array.from(middleB)))
      stretches.push({ isSame: stretch.isSame, real: stretch.real.join(""), imagined: stretch.imagined.join("") });
  }
  stretches.push(sameStretch(real.slice(endA + shift)));
  return withoutCrumbs(stretches.filter((stretch) => stretch.real || stretch.imagined));
}

/** Characters that are the same by chance, between differences that are longer, belong to the difference. */
function withoutCrumbs(stretches: Stretch<string>[]): Stretch<string>[] {
  const size = (stretch: Stretch<string> | undefined) =>
    Math.max(stretch?.real.length ?? 0, stretch?.imagined.length ?? 0);
  const kept: Stretch<string>[] = [];
  stretches.forEach((stretch, at) => {
    const last = kept.at(-1);
    const isCrumb = size(stretch) <= size(last) && size(stretch) <= size(stretches[at + 1]);
    if (last && !last.isSame && (isCrumb || !stretch.isSame)) {
      const [real, imagined] = [last.real + stretch.real, last.imagined + stretch.imagined];
      kept.splice(-1, 1, { isSame: false, real, imagined });
    } else kept.push(stretch);
  });
  return kept;
}

const sameStretch = (text: string): Stretch<string> => ({ isSame: true, real: text, imagined: text });

/** Myers' way: the fewest edits from one list to the other. */
export function diffItems(real: string[], imagined: string[]): Stretch<string[]>[] {
  const [head, tail] = ends(real.length, imagined.length, (a, b) => real[a] === imagined[b]);
  const a = real.slice(head, real.length - tail);
  const b = imagined.slice(head, imagined.length - tail);
  const start: Stretch<string[]> = { isSame: true, real: real.slice(0, head), imagined: imagined.slice(0, head) };
  const rest = real.slice(real.length - tail);
  const end: Stretch<string[]> = { isSame: true, real: rest, imagined: rest };
  const whole: Stretch<string[]>[] = [{ isSame: false, real: a, imagined: b }];
  const middle = a.length + b.length > MOST_ITEMS ? whole : (edits(a, b) ?? whole);
  return [start, ...middle, end].filter((stretch) => stretch.real.length || stretch.imagined.length);
}

/** How many items are the same at the start, and at the end of what is left. */
function ends(lengthA: number, lengthB: number, isSame: (a: number, b: number) => boolean): [number, number] {
  const shorter = Math.min(lengthA, lengthB);
  let head = 0;
  while (head < shorter && isSame(head, head)) head++;
  let tail = 0;
  while (tail < shorter - head && isSame(lengthA - 1 - tail, lengthB - 1 - tail)) tail++;
  return [head, tail];
}

/** Whether a cut here would part the two units of one character. */
function isInPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}

function edits(a: string[], b: string[]): Stretch<string[]>[] | null {
  const furthest = new Map<number, number>([[1, 0]]);
  const history: Map<number, number>[] = [];
  const most = Math.min(a.length + b.length, MOST_EDITS);
  for (let count = 0; count <= most; count++) {
    history.push(new Map(furthest));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = isDown(furthest, diagonal, count) ? reach(furthest, diagonal + 1) : reach(furthest, diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return walkBack(a, b, history);
    }
  }
  return null;
}

const reach = (furthest: Map<number, number>, diagonal: number) => furthest.get(diagonal) ?? -1;

function isDown(furthest: Map<number, number>, diagonal: number, count: number): boolean {
  if (diagonal === -count) return true;
  return diagonal !== count && reach(furthest, diagonal - 1) < reach(furthest, diagonal + 1);
}

function walkBack(a: string[], b: string[], history: Map<number, number>[]): Stretch<string[]>[] {
  const stretches: Stretch<string[]>[] = [];
  let [x, y] = [a.length, b.length];
  const add = (isSame: boolean, real: string[], imagined: string[]) => {
    const last = stretches.at(-1);
    if (last?.isSame === isSame) stretches.splice(-1, 1, joined(isSame, real, imagined, last));
    else stretches.push({ isSame, real, imagined });
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
  return stretches.reverse();
}

function joined(isSame: boolean, real: string[], imagined: string[], later: Stretch<string[]>): Stretch<string[]> {
  return { isSame, real: [...real, ...later.real], imagined: [...imagined, ...later.imagined] };
}
