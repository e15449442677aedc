/** A stretch of text: on both sides, or on one alone. */
export type Marked = { readonly kind: 'same' | 'removed' | 'added'; readonly text: string };

/** Characters of either text. Longer ones stand below each other: marks in them help nobody, and cost their product. */
const maxLength = 400;

/** Words, and what is between them. */
function splitWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}_-]+|\s+|[^\p{L}\p{N}\s_-]/gu) ?? [];
}

/**
 * Which words of two short texts differ. Undefined for long ones, and where hardly a word is the same: then the two texts
 * are easier to read whole.
 */
export function markWords(before: string, after: string): readonly Marked[] | undefined {
  if (before.length > maxLength || after.length > maxLength) return undefined;
  const own = splitWords(before);
  const others = splitWords(after);
  const lengths = measureCommon(own, others);
  const marked: { kind: Marked['kind']; text: string }[] = [];
  function add(kind: Marked['kind'], text: string) {
    const last = marked.at(-1);
    if (last?.kind === kind) last.text += text;
    else marked.push({ kind, text });
  }
  let a = 0;
  let b = 0;
  while (a < own.length || b < others.length) {
    const word = own[a];
    const other = others[b];
    if (word !== undefined && word === other) {
      add('same', word);
      a += 1;
      b += 1;
    } else if (
      word !== undefined &&
      (other === undefined || lengthAt(lengths, a + 1, b) >= lengthAt(lengths, a, b + 1))
    ) {
      add('removed', word);
      a += 1;
    } else if (other !== undefined) {
      add('added', other);
      b += 1;
    }
  }
  const same = marked.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.trim().length : 0), 0);
  return same * 4 >= Math.max(before.length, after.length) ? marked : undefined;
}

type Lengths = { readonly width: number; readonly cells: Uint16Array };

function lengthAt({ width, cells }: Lengths, a: number, b: number): number {
  return cells[a * width + b] ?? 0;
}

/** For each pair of places, how many words the rests have in common in their order. */
function measureCommon(own: readonly string[], others: readonly string[]): Lengths {
  const width = others.length + 1;
  const lengths = { width, cells: new Uint16Array((own.length + 1) * width) };
  for (let a = own.length - 1; a >= 0; a--) {
    for (let b = others.length - 1; b >= 0; b--) {
      lengths.cells[a * width + b] =
        own[a] === others[b]
          ? lengthAt(lengths, a + 1, b + 1) + 1
          : Math.max(lengthAt(lengths, a + 1, b), lengthAt(lengths, a, b + 1));
    }
  }
  return lengths;
}
