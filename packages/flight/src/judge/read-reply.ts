import type { PartUse } from './form.ts';
import type { Breaches } from './forgery.ts';
import type { PlacedForm, ReadPart } from './read-part.ts';
import type { SentPart, SentParts } from './sent-parts.ts';

/** What a reply is for those who judge it: its parts, read, and for each number who speaks of it. */
export type Spoken = {
  /** Who speaks of it: the part, and the place in it. */
  readonly by: ReadItem;
  readonly placed: PlacedForm;
};

/** One field with JSON in it: a part, or an item of a stream. */
export type ReadItem = { readonly part: SentPart; readonly read: ReadPart };

export type Reply = {
  readonly sent: SentParts;
  readonly breaches: Breaches;
  /** By number. */
  readonly models: ReadonlyMap<number, ReadItem>;
  /** Items of streams, by number. */
  readonly items: ReadonlyMap<number, readonly ReadItem[]>;
  readonly spoken: ReadonlyMap<number, readonly Spoken[]>;
  /** A body of which there is more says nothing about what did not come. */
  readonly isWhole: boolean;
};

/** Each of these has a part of its own, which nothing else may use. */
export const usedOnce = new Set<PartUse>(['map', 'set', 'iterator', 'form-data', 'file', 'stream', 'byte-stream']);
export type Speaking = { readonly id: number; readonly kind: PartUse | 'reference' };

export function toSpeaking({ form }: PlacedForm): Speaking | undefined {
  return 'id' in form ? { id: form.id, kind: form.kind } : undefined;
}

export function listSpoken(models: Iterable<ReadItem>, items: Iterable<readonly ReadItem[]>): Map<number, Spoken[]> {
  const spoken = new Map<number, Spoken[]>();
  for (const by of [...models, ...[...items].flat()]) {
    for (const placed of by.read.forms) {
      const speaking = toSpeaking(placed);
      if (!speaking) continue;
      const known = spoken.get(speaking.id);
      if (known) known.push({ by, placed });
      else spoken.set(speaking.id, [{ by, placed }]);
    }
  }
  return spoken;
}
