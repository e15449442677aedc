import { emptyArrayKind, emptyObjectKind, arrayKind, isStringKind, kindAt, objectKind } from '../tape.ts';
import { readString } from '../value-text.ts';
import { readWrittenForm } from './form.ts';
import { quote } from './forgery.ts';
import { itemsOf, membersOf, type ReadPart } from './read-part.ts';
import { toSpeaking, usedOnce, type Reply, type Spoken } from './read-reply.ts';

/** Where references lead: to objects that were sent, never to what an object has besides, and never back to themselves alone. */

/** A lazy within a lazy refers on; nobody has more of them. */
const maxHops = 100;

/** Names that JavaScript finds on what nobody sent, and those of React's own records of a request. */
const inherited = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Function.prototype),
  'prototype',
  'then',
  '_response',
  '_formData',
  '_chunks',
  '_prefix',
]);

type Members = Map<ReadPart, Map<number, ReadonlyMap<string, number>>>;

/** The value of a key or an index that was sent, and nothing that an object has besides. */
function findMember(members: Members, read: ReadPart, at: number, name: string): number | undefined {
  const ofPart = members.get(read) ?? new Map<number, ReadonlyMap<string, number>>();
  members.set(read, ofPart);
  let known = ofPart.get(at);
  if (!known) {
    const items = itemsOf(read, at)?.map((item, index) => [`${index}`, item] as const);
    known = items ? new Map(items) : (membersOf(read, at) ?? new Map());
    ofPart.set(at, known);
  }
  return known.get(name);
}

/** What a client remembers the place of: objects, and what stands for one. */
function isRemembered({ text }: ReadPart, at: number): boolean {
  const kind = kindAt(text.tape, at);
  if ([objectKind, arrayKind, emptyObjectKind, emptyArrayKind].includes(kind)) return true;
  if (!isStringKind(kind)) return false;
  const written = readString(text, at);
  const form = readWrittenForm(written);
  return written === '$T' || ('id' in form && form.kind !== 'reference' && usedOnce.has(form.kind));
}

function checkReference(reply: Reply, members: Members, { by, placed }: Spoken): void {
  const { models, sent, breaches, isWhole } = reply;
  const { form, written } = placed;
  if (form.kind !== 'reference') return;
  const target = models.get(form.id);
  if (!target) {
    const part = sent.byId.get(form.id);
    if (part && typeof part.value !== 'string') breaches.add('shape', part.name, 'it is a file');
    else if (!part && isWhole) breaches.add('missing', by.part.name, `${quote(written)} did not come`);
    return;
  }
  if (form.path.length === 0) return;
  let at = target.read.at;
  for (const name of form.path) {
    const member = findMember(members, target.read, at, name);
    if (member === undefined) {
      const isInherited = form.path.some((step) => inherited.has(step));
      const detail = `${quote(written)} leads to ${quote(name)}, which was not sent`;
      return breaches.add('path', by.part.name, detail, isInherited ? 'CVE-2025-55182' : undefined);
    }
    at = member;
  }
  if (!isRemembered(target.read, at)) breaches.add('path', by.part.name, `${quote(written)} leads to no object`);
}

/** Parts that are nothing but a reference to another. */
function checkCircles({ models, breaches }: Reply): void {
  const next = new Map<number, number>();
  for (const [id, { read }] of models) {
    const [first] = read.forms;
    if (first?.at !== read.at) continue;
    const { form } = first;
    if ((form.kind === 'reference' && form.path.length === 0) || form.kind === 'promise') next.set(id, form.id);
  }
  for (const id of next.keys()) {
    let hops = 0;
    for (let at: number | undefined = id; at !== undefined && hops <= maxHops; at = next.get(at)) hops += 1;
    if (hops <= maxHops) continue;
    const name = models.get(id)?.part.name ?? '';
    return breaches.add('circle', name, 'it refers to parts that refer on, without an end', 'CVE-2025-55184');
  }
}

/** What the arguments speak of, and what that speaks of, and so on. */
function findReached({ models, items }: Reply): Set<number> {
  const reached = new Set<number>([0]);
  for (const id of reached) {
    const model = models.get(id);
    for (const { read } of [...(model ? [model] : []), ...(items.get(id) ?? [])]) {
      for (const placed of read.forms) {
        const speaking = toSpeaking(placed);
        if (speaking) reached.add(speaking.id);
      }
    }
  }
  return reached;
}

export function checkUnreferenced(reply: Reply): void {
  const { sent, breaches } = reply;
  const reached = findReached(reply);
  const all = [...sent.byId].map(([id, { name }]) => [id, name] as const);
  const many = [...sent.streams, ...sent.forms].map(([id, [first]]) => [id, first?.name ?? ''] as const);
  for (const [id, name] of [...all, ...many]) {
    if (breaches.isFull()) return;
    if (!reached.has(id)) breaches.add('unreferenced', name, 'the arguments do not speak of it');
  }
  // Numbers are given one after the other, and each is written where it was given.
  const highest = Math.max(...reached);
  if (highest >= reached.size) {
    breaches.add('unreferenced', '', `${highest} is spoken of, but not each number before it`);
  }
}

export function checkReferences(reply: Reply): void {
  const members: Members = new Map();
  for (const all of reply.spoken.values()) {
    for (const spoken of all) if (!reply.breaches.isFull()) checkReference(reply, members, spoken);
  }
  checkCircles(reply);
}
