import { arrayKind, emptyArrayKind, isStringKind, kindAt, nullKind } from '../tape.ts';
import { readString } from '../value-text.ts';
import { readWrittenForm, type PartUse } from './form.ts';
import { type Breaches, quote } from './forgery.ts';
import { checkReferences, checkUnreferenced } from './judge-references.ts';
import { itemsOf, membersOf, readPart, type ReadPart, type SlotCount } from './read-part.ts';
import { listSpoken, toSpeaking, usedOnce, type ReadItem, type Reply, type Spoken } from './read-reply.ts';
import type { SentPart, SentParts } from './sent-parts.ts';

/**
 * Judges the parts of one reply, by what React's client does when it writes them (processReply): it numbers parts as it comes to
 * them, speaks of each where it came to it, and writes a second time only of an object, by the path to where it wrote it first.
 */
/** React's servers bind as many. */
const maxBound = 1000;
/** These are written whole before the part that speaks of them. */
const writtenBefore = new Set<PartUse>(['map', 'set', 'iterator', 'form-data', 'file', 'action']);

function readModels(sent: SentParts, breaches: Breaches, count: SlotCount): Map<number, ReadItem> {
  const models = new Map<number, ReadItem>();
  for (const [id, part] of sent.byId) {
    if (breaches.isFull()) break;
    if (typeof part.value !== 'string') continue;
    const read = readPart(part.value, part.name, breaches, count);
    if (read) models.set(id, { part, read });
  }
  return models;
}

/** The items of a stream end with one that begins with `C`, after which none comes. */
function readItems(sent: SentParts, breaches: Breaches, count: SlotCount): Map<number, ReadItem[]> {
  const streams = new Map<number, ReadItem[]>();
  for (const [id, parts] of sent.streams) {
    const items: ReadItem[] = [];
    for (const [index, part] of parts.entries()) {
      if (breaches.isFull()) break;
      if (typeof part.value !== 'string') {
        breaches.add('shape', part.name, 'an item of a stream is a file');
        continue;
      }
      const isEnd = part.value.startsWith('C');
      if (isEnd && index + 1 < parts.length) breaches.add('shape', part.name, 'a stream goes on after its end');
      if (part.value === 'C') continue;
      const read = readPart(isEnd ? part.value.slice(1) : part.value, part.name, breaches, count);
      if (read) items.push({ part, read });
    }
    streams.set(id, items);
  }
  return streams;
}

function isArrayAt(read: ReadPart, at: number): boolean {
  const kind = kindAt(read.text.tape, at);
  return kind === arrayKind || kind === emptyArrayKind;
}

/** `{ id, bound }`, where what is bound is nothing or a promise. */
function isAction(read: ReadPart): boolean {
  const members = membersOf(read, read.at);
  const [id, bound] = [members?.get('id'), members?.get('bound')];
  if (members?.size !== 2 || id === undefined || bound === undefined) return false;
  const { text } = read;
  if (!isStringKind(kindAt(text.tape, id))) return false;
  const name = readString(text, id);
  if (name.startsWith('$') && !name.startsWith('$$')) return false;
  if (kindAt(text.tape, bound) === nullKind) return true;
  return isStringKind(kindAt(text.tape, bound)) && readWrittenForm(readString(text, bound)).kind === 'promise';
}

function isShapedFor(use: PartUse, read: ReadPart): boolean {
  switch (use) {
    case 'map':
      return itemsOf(read, read.at)?.every((entry) => itemsOf(read, entry)?.length === 2) ?? false;
    case 'set':
    case 'iterator':
      return isArrayAt(read, read.at);
    case 'action':
      return isAction(read);
    default:
      return true;
  }
}

function checkBound({ models, breaches }: Reply, action: ReadItem): void {
  const bound = membersOf(action.read, action.read.at)?.get('bound');
  if (bound === undefined || kindAt(action.read.text.tape, bound) === nullKind) return;
  const form = readWrittenForm(readString(action.read.text, bound));
  const part = form.kind === 'promise' ? models.get(form.id) : undefined;
  const count = (part && itemsOf(part.read, part.read.at)?.length) ?? 0;
  if (count <= maxBound) return;
  breaches.add('size', action.part.name, `${count} arguments are bound`, 'CVE-2026-23864');
}

/** What is said of a part, against what came under its number. */
function checkUse(reply: Reply, use: PartUse, id: number, { by, placed }: Spoken): void {
  const { sent, models, breaches, isWhole } = reply;
  const part = sent.byId.get(id);
  const { written } = placed;
  if (use === 'form-data' || use === 'stream' || use === 'byte-stream') {
    // FormData without fields has no part, and a call that was given up has none of a stream.
    if (part) breaches.add('shape', part.name, `${written} is no single part`);
    const [first] = (use === 'form-data' ? sent.forms : sent.streams).get(id) ?? [];
    if (use === 'form-data' && first) checkOrder(reply, first, by);
    return;
  }
  if (!part) {
    // A call that was given up lacks what was awaited.
    if (isWhole && use !== 'promise') breaches.add('missing', by.part.name, `${written} did not come`);
    return;
  }
  const isFile = typeof part.value !== 'string';
  if (isFile !== (use === 'file')) {
    return breaches.add('shape', part.name, isFile ? 'it is a file' : 'it is text where bytes are meant');
  }
  const model = models.get(id);
  if (model && !isShapedFor(use, model.read)) breaches.add('shape', part.name, `it is not what ${written} says`);
  else if (model && use === 'action') checkBound(reply, model);
  if (writtenBefore.has(use)) checkOrder(reply, part, by);
}

function checkOrder({ breaches }: Reply, part: SentPart, by: ReadItem): void {
  if (part.index < by.part.index) return;
  breaches.add('order', part.name, `it came after part ${quote(by.part.name)}, which needs it written`);
}

/** All that is said of one number. */
function checkSpoken(reply: Reply, id: number, all: readonly Spoken[]): void {
  const { breaches } = reply;
  const uses = new Set<PartUse>();
  let once = 0;
  for (const spoken of all) {
    const speaking = toSpeaking(spoken.placed);
    if (!speaking || speaking.kind === 'reference' || breaches.isFull()) continue;
    const { kind } = speaking;
    if (id === 0) {
      const advisory = kind === 'promise' ? 'CVE-2025-55184' : undefined;
      breaches.add(
        'circle',
        spoken.by.part.name,
        `${spoken.placed.written} is made of the arguments themselves`,
        advisory,
      );
      continue;
    }
    if (usedOnce.has(kind)) once += 1;
    if (!uses.has(kind) || usedOnce.has(kind)) checkUse(reply, kind, id, spoken);
    uses.add(kind);
  }
  if (once > 1) breaches.add('twice', `${id}`, `${once} places use it up`, 'CVE-2026-23864');
  else if (uses.size > 1) breaches.add('twice', `${id}`, `it is used as ${[...uses].join(' and ')}`);
}

export function judgeParts(sent: SentParts, breaches: Breaches, isWhole: boolean): void {
  if (!sent.byId.has(0)) {
    if (isWhole) breaches.add('missing', '0', 'there are no arguments');
    return;
  }
  const count: SlotCount = { slots: 0 };
  const models = readModels(sent, breaches, count);
  const items = readItems(sent, breaches, count);
  const reply: Reply = {
    sent,
    breaches,
    models,
    items,
    spoken: listSpoken(models.values(), items.values()),
    isWhole,
  };
  for (const [id, all] of reply.spoken) checkSpoken(reply, id, all);
  checkReferences(reply);
  // Of what cannot be read nobody knows what it speaks of.
  if (
    isWhole &&
    models.size + [...sent.byId.values()].filter(({ value }) => typeof value !== 'string').length === sent.byId.size
  ) {
    checkUnreferenced(reply);
  }
}
