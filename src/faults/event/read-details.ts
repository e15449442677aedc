import 'server-only';

import { filtered, isSensitiveKey, scrubData } from '../scrubbing/scrub.ts';
import type { TextBudget } from '../receive/text-budget.ts';
import { asRecord, boundText, type JsonRecord, asText } from '../receive/untrusted-json.ts';
import { readPairs, readWord } from './event-values.ts';

const whereLimit = 1_000;

/**
 * A mismatch of hydration tells what an element had on both sides. Where the element, or one around it, is named like a secret, as an
 * argument of an action may be, neither is kept.
 */
function hideNamedSecrets(extra: JsonRecord | undefined): JsonRecord | undefined {
  const hydration = asRecord(extra?.['hydration']);
  const where = asText(hydration?.['where'], whereLimit) ?? '';
  const names = Array.from(where.matchAll(/="([^"]*)"/g), ([, name = '']) => name);
  if (!names.some(isSensitiveKey)) return extra;
  return { ...extra, hydration: { ...hydration, server: filtered, browser: filtered } };
}

/** Tags, and contexts with extra data as flat text: bounded, scrubbed, and without what names a machine or a person. */
type Texts = Readonly<Record<string, string>>;

/** Sentry's own limits for a name and a value; Bugsink was brought down by events with thousands of tags. */
const tagsKept = 50;
const tagName = 64;
const tagValue = 200;
const tagsJsonLimit = 8 * 1024;

const extraKept = 120;
const extraName = 96;
const extraJsonLimit = 16 * 1024;

/** `trace` and `react` have columns of their own; feedback and replays are other items. */
const contextsLeftOut: ReadonlySet<string> = new Set(['trace', 'feedback', 'replay', 'profile', 'state']);
/** The machine's name tells an operator of one machine nothing, and strangers something about the network. */
const namesLeftOut = /(?:^|\.)(?:server_?name|device\.name|componentStack)$/i;

/** The first of `entries` that take at most `limit` bytes as JSON. */
function keepFirst(entries: Iterable<readonly [string, string]>, count: number, limit: number): Texts {
  const kept = new Map<string, string>();
  let bytes = 2;
  for (const [name, value] of entries) {
    if (kept.size >= count) break;
    if (kept.has(name)) continue;
    bytes += Buffer.byteLength(JSON.stringify([name, value])) + 1;
    if (bytes > limit) break;
    kept.set(name, value);
  }
  return Object.fromEntries(kept);
}

function* listTags(event: JsonRecord, budget: TextBudget): Generator<readonly [string, string]> {
  for (const [name, value] of readPairs(event['tags']).slice(0, tagsKept * 2)) {
    const text = readWord(value, tagValue);
    if (text === undefined || namesLeftOut.test(name)) continue;
    yield [
      budget.scrub(name, tagName),
      name.length > tagName || isSensitiveKey(name) ? filtered : budget.scrub(text, tagValue),
    ];
  }
}

export function readTags(event: JsonRecord, budget: TextBudget): Texts {
  return keepFirst(listTags(event, budget), tagsKept, tagsJsonLimit);
}

function* listExtra(event: JsonRecord, budget: TextBudget): Generator<readonly [string, string]> {
  yield* Object.entries(scrubData(hideNamedSecrets(asRecord(event['extra'])), budget.scrub));
  for (const [context, value] of Object.entries(asRecord(event['contexts']) ?? {}).slice(0, 50)) {
    if (contextsLeftOut.has(context) || isSensitiveKey(context)) continue;
    const title = boundText(budget.scrub(context, 32), 32);
    for (const [name, text] of Object.entries(scrubData(value, budget.scrub))) {
      // Says only which of Sentry's interfaces it is.
      if (name !== 'type') yield [`${title}.${name}`, text];
    }
  }
}

/** @param trimmed what was left out of the event because it was too large */
export function readExtra(event: JsonRecord, budget: TextBudget, trimmed: readonly string[]): Texts {
  const note: [string, string][] =
    trimmed.length === 0 ? [] : [['flight-recorder.left-out', `too large: ${trimmed.join(', ')}`]];
  const entries = [...note, ...listExtra(event, budget)].filter(
    ([name]) => !namesLeftOut.test(name) && name.length <= extraName,
  );
  return keepFirst(entries, extraKept, extraJsonLimit);
}
