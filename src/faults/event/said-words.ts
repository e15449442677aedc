import 'server-only';

import type { EventColumn } from '#src/store/event-columns.ts';

import { asRecord, asText, type JsonRecord } from '../receive/untrusted-json.ts';
import { readWord } from './event-values.ts';

/**
 * What a sender says of an error in a word, besides the error. Each has a column of its own (src/store/event-columns.ts), and is empty
 * where it was not said. All that reads, keeps, shows and answers them follows from this list.
 */
const wordLimit = 64;

type Event = { readonly event: JsonRecord; readonly header: JsonRecord };

export function readSdk({ event, header }: Event): { readonly name: string; readonly text: string } {
  const sdk = asRecord(event['sdk']) ?? asRecord(header['sdk']);
  const name = asText(sdk?.['name'], wordLimit) ?? '';
  const version = readWord(sdk?.['version'], wordLimit);
  return { name, text: version === undefined ? name : `${name}/${version}` };
}

/** In the order in which they are shown. */
const readers = {
  environment: ({ event }) => readWord(event['environment'], wordLimit) ?? '',
  sdk: (from) => readSdk(from).text,
} as const satisfies { readonly [Column in EventColumn]?: (from: Event) => string };

export type SaidWord = keyof typeof readers;

export type SaidWords = { readonly [Each in SaidWord]: string };

function isSaidWord(name: string): name is SaidWord {
  return name in readers;
}

export const saidWords: readonly SaidWord[] = Object.keys(readers).filter(isSaidWord);

function hasEach<Value>(part: Partial<Record<SaidWord, Value>>): part is Record<SaidWord, Value> {
  return saidWords.every((word) => word in part);
}

/** Makes something for each word. */
export function mapSaid<Value>(make: (word: SaidWord) => Value): Record<SaidWord, Value> {
  const made: Partial<Record<SaidWord, Value>> = {};
  for (const word of saidWords) made[word] = make(word);
  if (!hasEach(made)) throw new Error('a word is missing');
  return made;
}

export function readSaidWords(from: Event): SaidWords {
  return mapSaid((word) => readers[word](from));
}
