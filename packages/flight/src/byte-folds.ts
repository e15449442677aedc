import { listItems, readLikeness, readMergeKey, reveal, sizeOf, type ByteItem, type ItemReader } from './byte-items.ts';

/**
 * Folds: items that the byte tree shows as one node, because they are alike (byte-items.ts says when). Each item is in exactly
 * one fold, and a fold of one item is that item.
 */
export type Fold = readonly ByteItem[];

export function asFolds(items: readonly ByteItem[]): Fold[] {
  return items.map((item) => [item]);
}

/** Fewer siblings are shown one by one, even when they are alike. */
const leastAlike = 4;

/** Siblings in the order of the first of each fold. One that has more than half of its fold's bytes stands alone. */
export function foldAlike(reader: ItemReader, items: readonly ByteItem[], mostFolds: number): Fold[] {
  if (items.length < leastAlike) return asFolds(items);
  const folds = foldBy(reader, items, false);
  // Too many that differ: what they have in common is their type.
  return folds.length > mostFolds ? foldBy(reader, items, true) : folds;
}

function foldBy(reader: ItemReader, items: readonly ByteItem[], byTypeAlone: boolean): Fold[] {
  const folds = new Map<string, ByteItem[]>();
  for (const [index, item] of items.entries()) {
    const key = readLikeness(reader, item, reveal(reader, item), byTypeAlone)?.key ?? `alone ${index}`;
    const fold = folds.get(key);
    if (fold) fold.push(item);
    else folds.set(key, [item]);
  }
  return [...folds.values()].flatMap((fold) => splitFold(reader, fold));
}

function splitFold(reader: ItemReader, fold: Fold): Fold[] {
  if (fold.length < leastAlike) return asFolds(fold);
  const bytes = fold.reduce((sum, item) => sum + sizeOf(reader, item), 0);
  const large = fold.find((item) => sizeOf(reader, item) > bytes / 2);
  if (!large) return [fold];
  return [
    [large],
    ...splitFold(
      reader,
      fold.filter((item) => item !== large),
    ),
  ];
}

/** What is inside several items that are alike, folded across all of them: their `href`, their `<a>`. */
export function mergeInside(reader: ItemReader, items: readonly ByteItem[]): Fold[] {
  const folds = new Map<string, ByteItem[]>();
  for (const item of items) {
    for (const inner of listItems(reader, reveal(reader, item))) {
      const key = readMergeKey(reader, inner);
      const fold = folds.get(key);
      if (fold) fold.push(inner);
      else folds.set(key, [inner]);
    }
  }
  return [...folds.values()];
}
