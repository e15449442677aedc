import {
  countChildren,
  type Flight,
  findEntry,
  findRow,
  formatBytes,
  formatCount,
  guessFramework,
  printElementType,
  printRow,
  readElement,
  readHeader,
  readItems,
  readRow,
  readValuePath,
  type Token,
  type Value,
  type ValuePath,
  countOf,
  rowTagOf,
} from '#flight';

import { findFormWords } from '../protocol/form-words.ts';
import {
  consoleWords,
  elementWords,
  framingWords,
  memberWords,
  moduleWords,
  parcelModuleWords,
} from '../protocol/part-words.ts';
import { findRootKey } from '../protocol/root-words.ts';
import { hintWords, rowWords } from '../protocol/row-words.ts';
import type { Words } from '../protocol/words.ts';

/** What one token of a raw row is, for the note beside it. */
export type TokenNote = {
  readonly name: string;
  /** What it is in general; undefined for plain JSON, which needs no explanation. */
  readonly says: string | undefined;
  /** Where /protocol explains it. */
  readonly anchor: string | undefined;
  /** What it is here: where it stands, how long it is. */
  readonly here: string | undefined;
  /** The row that it refers to. */
  readonly target: { readonly id: string; readonly row: number | undefined; readonly text: string } | undefined;
};

type Located = { readonly flight: Flight; readonly row: number; readonly path: ValuePath };

const utf8 = new TextDecoder();

/** Explained at most once for each token that somebody looks at: this walks from the row's start to the token. */
export function explainToken(flight: Flight, row: number, token: Token): TokenNote {
  const { tag, id, payloadStart, payloadEnd } = readHeader(flight.rows, row);
  const words = rowWords[tag];
  switch (token.kind) {
    case 'id':
      return toNote(framingWords.id, row === flight.root ? 'Row 0 is the root.' : `This is row ${id.toString(16)}.`);
    case 'tag':
      return toNote(words);
    case 'length':
      return toNote(framingWords.length, `${formatCount(payloadEnd - payloadStart)} bytes follow.`);
    case 'code':
      return toNote(hintWords[utf8.decode(flight.bytes.subarray(token.start, token.end))] ?? rowWords['H']);
    case 'line-end':
      return toNote(framingWords['line-end']);
    case 'text':
    case 'bytes':
      return toNote(words, `Its body, ${formatBytes(token.end - token.start)}.`);
    default: {
      const path = readValuePath(flight, row, token.start);
      return path ? explainValue({ flight, row, path }, token) : toNote(words);
    }
  }
}

function toNote(words: Words | undefined, here?: string): TokenNote {
  return { name: words?.name ?? 'row', says: words?.says, anchor: words?.anchor, here, target: undefined };
}

function explainValue(located: Located, token: Token): TokenNote {
  const { flight, path } = located;
  const here = describePlace(located);
  if (token.kind === 'mark') return { ...toNote(elementWords[0]), here: describeElement(flight, path) };
  const own = findPartWords(located);
  if (token.kind === 'key') return own ? toNote(own, here) : explainKey(located, here);
  if (token.kind === 'form') return explainForm(flight, path.value, token, own, here);
  if (own) return toNote(own, here);
  return { name: nameValue(flight, path.value), says: undefined, anchor: undefined, here, target: undefined };
}

/** A string that stands for something else; `part` is what it is of its row, where the row is React's own. */
function explainForm(
  flight: Flight,
  value: Value,
  token: Token,
  part: Words | undefined,
  here: string | undefined,
): TokenNote {
  const written: unknown = JSON.parse(utf8.decode(flight.bytes.subarray(token.start, token.end)));
  const form = typeof written === 'string' ? findFormWords(written, flight.direction) : undefined;
  const target = readTarget(flight, value);
  if (!form) return { ...toNote(part), name: part?.name ?? 'text of no known form', here, target };
  const name = part ? `${part.name}, a ${form.name}` : form.name;
  // The words are about an example, which refers to row 1.
  const says = target ? form.says.replace(/\b(row) 1\b/gi, `$1 ${target.id}`) : form.says;
  return { name, says, anchor: form.anchor, here, target };
}

function readTarget(flight: Flight, value: Value): TokenNote['target'] {
  const id = 'id' in value ? value.id : 'target' in value ? value.target?.id : undefined;
  if (id === undefined) return undefined;
  const row = findRow(flight.rows, id);
  return {
    id: id.toString(16),
    row,
    text: row === undefined ? 'which never came' : printRow(flight, readRow(flight, row)),
  };
}

function nameValue(flight: Flight, value: Value): string {
  switch (value.kind) {
    case 'element':
      return `element <${printElementType(flight, readElement(flight, value).type)}>`;
    case 'array':
      return `list, ${countOf(countChildren(flight, value), 'item')}`;
    case 'object':
      return `object, ${countOf(countChildren(flight, value), 'member')}`;
    case 'string':
      return `text, ${countOf(value.value.length, 'character')}`;
    default:
      return value.kind;
  }
}

/** Where the way to the value ends in one of React’s own lists or objects: what that part is. */
function findPartWords({ flight, row, path: { steps } }: Located): Words | undefined {
  const [first] = steps;
  const last = steps.at(-1);
  if (!first || !last) return undefined;
  const { tag } = readHeader(flight.rows, row);
  const rowTag = rowTagOf(tag);
  if (rowTag.role === 'module') return findModuleWords(flight, first.container, first.index);
  const isConsole = rowTag.body === 'json' && rowTag.kind === 'console';
  if (isConsole && first.index < consoleWords.length) return consoleWords[first.index];
  const ofRow = first.key === undefined ? undefined : memberWords[tag]?.[first.key];
  if (ofRow) return ofRow;
  return last.container.kind === 'element' ? elementWords[last.index] : undefined;
}

function findModuleWords(flight: Flight, metadata: Value, index: number): Words | undefined {
  if (metadata.kind !== 'array') return undefined;
  const isParcel = readItems(flight, metadata, 1, 1)[0]?.kind !== 'array';
  return (isParcel ? parcelModuleWords : moduleWords)[index];
}

const frameworks = new WeakMap<Flight, ReturnType<typeof guessFramework>>();

function readFramework(flight: Flight) {
  if (!frameworks.has(flight)) frameworks.set(flight, guessFramework(flight));
  return frameworks.get(flight)?.guess;
}

/** A member’s name: the app’s own, a prop, or one of the framework’s when it is in the root. */
function explainKey({ flight, row, path: { steps } }: Located, here: string | undefined): TokenNote {
  const framework = row === flight.root ? readFramework(flight) : undefined;
  const way = steps.flatMap(({ key }) => key ?? []);
  const root = steps[0]?.container;
  if (framework && root && way.length === steps.length) {
    const found = findRootKey(framework, way, !findEntry(flight, root, 't'));
    if (found) {
      const { words, key } = found;
      return {
        name: `${key.name} (${words.title})`,
        says: key.says,
        anchor: words.anchor,
        here: undefined,
        target: undefined,
      };
    }
  }
  const isProp = steps.at(-2)?.container.kind === 'element';
  return { name: isProp ? 'prop' : 'name of a member', says: undefined, anchor: undefined, here, target: undefined };
}

/** The element whose mark this is. */
function describeElement(flight: Flight, { steps }: ValuePath): string | undefined {
  const element = steps.at(-1)?.container;
  return element && `<${printElementType(flight, readElement(flight, element).type)}> begins here.`;
}

/** Where it stands: which prop, member or item. */
function describePlace({ flight, path: { steps, isKey } }: Located): string | undefined {
  const last = steps.at(-1);
  if (!last) return undefined;
  const around = steps.at(-2)?.container;
  const owner = last.container.kind === 'element' ? last.container : around?.kind === 'element' ? around : undefined;
  const of = owner ? ` of <${printElementType(flight, readElement(flight, owner).type)}>` : '';
  if (last.key !== undefined) {
    const name = last.key.length > maxName ? `${last.key.slice(0, maxName)}…` : last.key;
    if (isKey) return of === '' ? undefined : `A prop${of}.`;
    return of === '' ? `The member ${name}.` : `The prop ${name}${of}.`;
  }
  if (last.container.kind === 'element') return `${elementWords[last.index]?.name ?? 'Part'}${of}.`;
  return `Item ${formatCount(last.index + 1)} of ${formatCount(countChildren(flight, last.container))}.`;
}

/** A name is any text of the payload. */
const maxName = 60;
