import { findBoundary, type ReplyPart } from '../multipart.ts';
import { countJsonParts } from '../count-json-parts.ts';
import { openEnvelope } from './envelope.ts';
import { type Breaches, createBreaches, type Judgement } from './forgery.ts';
import { judgeParts } from './judge-parts.ts';
import { maxSlots } from './read-part.ts';
import { type PlacedPart, sortParts } from './sent-parts.ts';

/**
 * Says whether a client of React could have written the body of a request that calls a server function. The rule is the grammar
 * of `encodeReply`, React 19.0 to 19.3 and the canaries after it, and of the fields of a form that was sent without JavaScript;
 * nothing else is believed, and nothing that the body says is looked up, evaluated or imported.
 *
 * Time and memory are linear in the body. Bound the body before: what has too many values is not looked at.
 */
export type JudgedRequest = {
  readonly body: Uint8Array;
  /** Undefined where nobody knows it. */
  readonly contentType: string | undefined;
  /** A call names its action in a header or in the address; a form without JavaScript in a field. */
  readonly isCall: boolean;
  /** False for the beginning of a body. */
  readonly isWhole: boolean;
};

/** As many as decodeReply reads: a server takes a body of 1 MiB, which has room for fewer. */
const maxParts = 100_000;

/**
 * In all texts of one request: each takes up to 5 µs, on a thread that others wait for. Sixteen calls of 270,000 each held a page for 17 s.
 * A call that a person makes has some hundred.
 */
const partsJudged = 20_000;

/** More than a server reads is looked at, since that is forged. */
function hasTooManyParts(texts: readonly Uint8Array[]): boolean {
  const count = texts.reduce((sum, text) => sum + countJsonParts(text, maxSlots), 0);
  return count > partsJudged && count <= maxSlots;
}

const actionField = /^\$ACTION_(?:REF_|ID_|KEY$)/;
const boundField = /^(\$ACTION_[^]*?:)(?:S?\d+$|_?\d+_)/;
const reference = '$ACTION_REF_';

/** Names that frameworks give to actions have few. */
const mostColons = 16;

/** The beginnings of a name that end in a colon. */
function listBeginnings(name: string): readonly string[] {
  const beginnings: string[] = [];
  for (let at = name.indexOf(':'); at !== -1 && beginnings.length <= mostColons; at = name.indexOf(':', at + 1)) {
    beginnings.push(name.slice(0, at + 1));
  }
  return beginnings;
}

/**
 * Each action that a form offers has fields of its own; which was chosen does not matter here. In one pass: a form may have as many
 * prefixes as fields. `$ACTION_REF_<x>` says that `$ACTION_<x>:` is a prefix, whatever else such a field may look like.
 */
function groupByPrefix(parts: readonly ReplyPart[], breaches: Breaches): Map<string, PlacedPart[]> {
  const groups = new Map<string, PlacedPart[]>();
  const references = parts.filter(({ name }) => name.startsWith(reference));
  const referred = new Set(references.map(({ name }) => `$ACTION_${name.slice(reference.length)}:`));
  for (const placed of parts.entries()) {
    const { name } = placed[1];
    if (!name.startsWith('$ACTION_')) continue;
    const beginnings = listBeginnings(name);
    if (beginnings.length > mostColons) breaches.add('name', name, 'no form of React has such a field');
    const usual = actionField.test(name) ? undefined : boundField.exec(name)?.[1];
    const prefixes = new Set(beginnings.filter((beginning) => beginning === usual || referred.has(beginning)));
    for (const prefix of prefixes) {
      const group = groups.get(prefix);
      if (group) group.push(placed);
      else groups.set(prefix, [placed]);
    }
  }
  return groups;
}

function judgeForm(parts: readonly ReplyPart[], breaches: Breaches, isWhole: boolean): void {
  for (const [prefix, group] of groupByPrefix(parts, breaches)) {
    if (breaches.isFull()) return;
    judgeParts(sortParts(group, prefix, breaches), breaches, isWhole);
  }
  for (const { name } of parts) {
    if (breaches.isFull()) return;
    if (!name.startsWith('$ACTION_') || actionField.test(name) || boundField.test(name)) continue;
    breaches.add('name', name, 'no form of React has such a field');
  }
}

/** Where it names an action as a form does, too, both are judged: which of them a server reads, its framework knows. */
function judgeCall(parts: readonly ReplyPart[], breaches: Breaches, isWhole: boolean): void {
  if (parts.some(({ name }) => actionField.test(name))) {
    judgeForm(parts, breaches, isWhole);
    judgeParts(sortParts(parts.entries(), '', breaches), breaches, isWhole);
    return;
  }
  const sent = sortParts(parts.entries(), '', breaches);
  for (const { name } of sent.others) {
    if (breaches.isFull()) return;
    breaches.add('name', name, 'a call has no such field');
  }
  judgeParts(sent, breaches, isWhole);
}

/** A form that is sent without files, unless it says otherwise. React's own forms do; whoever reads forms takes either. */
export function isUrlEncoded(contentType: string | undefined): boolean {
  return /\bapplication\/x-www-form-urlencoded\b/i.test(contentType ?? '');
}

/** A pair whose name may be one of an action: what else a form has is not read. A `?` at the beginning is nobody's. */
const actionPair = /(?:^\??|&)((?:\$|%24)[^&=]*)=?([^&]*)/g;
/** Each may have what `%` does not encode, which takes some microseconds. */
const encodedFieldsJudged = 5_000;

/** Of an encoded form, where `+` is a space. `URLSearchParams` alone takes what `%` does not encode, and tenfold the time. */
function decodeField(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return new URLSearchParams(`a=${text}`).get('a') ?? '';
  }
}

/** @returns undefined where there are more than are judged */
function readActionFields(body: Uint8Array): ReplyPart[] | undefined {
  const parts: ReplyPart[] = [];
  let looked = 0;
  for (const [, written = '', value = ''] of utf8.decode(body).matchAll(actionPair)) {
    looked += 1;
    if (looked > encodedFieldsJudged) return undefined;
    const name = decodeField(written);
    if (name.startsWith('$ACTION_')) parts.push({ name, value: decodeField(value) });
  }
  return parts;
}

/** @returns false where there is too much to look at */
function judgeEncoded({ body, isWhole }: JudgedRequest, breaches: Breaches): boolean {
  const parts = readActionFields(body);
  if (!parts) {
    breaches.add('size', '', `more than ${encodedFieldsJudged} fields of actions`);
    return true;
  }
  if (hasTooManyParts(parts.map(({ value }) => encoder.encode(String(value))))) return false;
  judgeForm(parts, breaches, isWhole);
  return true;
}

const encoder = new TextEncoder();
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Of multipart with the longest boundary; what is longer hides what a framework looks for in it. */
const longestType = 500;

/** @returns false where there is too much to look at */
function judge(request: JudgedRequest, breaches: Breaches): boolean {
  const { body, contentType, isCall, isWhole } = request;
  if ((contentType?.length ?? 0) > longestType) breaches.add('envelope', '', 'no client writes so long a type');
  // Next.js reads its numbered parts out of it, others take it as text.
  if (isCall && isUrlEncoded(contentType)) breaches.add('envelope', '', 'no client sends a call as an encoded form');
  const saysMultipart = /\bmultipart\//i.test(contentType ?? '');
  if (!isCall && isUrlEncoded(contentType)) {
    // Of two types each reader takes another one.
    if (!judgeEncoded(request, breaches)) return false;
    if (!saysMultipart) return true;
  }
  const isMultipart = saysMultipart || findBoundary(body) !== undefined;
  if (!isMultipart) {
    if (!isWhole) return true;
    if (hasTooManyParts([body])) return false;
    judgeParts(sortParts([[0, { name: '0', value: utf8.decode(body) }]], '', breaches), breaches, true);
    return true;
  }
  if (!isWhole && findBoundary(body) === undefined) return true;
  const opened = openEnvelope(body, contentType, breaches);
  if (!opened) return true;
  const texts = opened.parts.flatMap(({ value }) => (typeof value === 'string' ? encoder.encode(value) : []));
  if (hasTooManyParts(texts)) return false;
  if (isWhole && !opened.isWhole) breaches.add('envelope', '', 'the last part has no end');
  const parts = opened.parts.slice(0, maxParts);
  if (opened.parts.length > maxParts) breaches.add('size', '', `${opened.parts.length} parts`);
  const isAll = opened.isWhole && opened.parts.length <= maxParts;
  if (isCall) judgeCall(parts, breaches, isAll);
  else judgeForm(parts, breaches, isAll);
  return true;
}

export function judgeRequest(request: JudgedRequest): Judgement {
  const breaches = createBreaches();
  if (!judge(request, breaches)) return { kind: 'too-large' };
  const list = breaches.list();
  return list.length === 0 ? { kind: 'possible' } : { kind: 'forged', breaches: list };
}
