import { findUsers } from './attribution.ts';
import { createItemReader, type ItemReader } from './byte-items.ts';
import {
  cost,
  countOf,
  isWorthSaying,
  maxOfKind,
  maxParts,
  minBase64,
  minBytes,
  minShare,
  share,
  sizePart,
  type Finding,
  type Understood,
} from './finding.ts';
import type { Flight } from './flight.ts';
import { formatBytes } from './format-numbers.ts';
import { nameModule } from './modules.ts';
import { findNestedCopies } from './nested-copies.ts';
import { placeOf, type Place } from './place.ts';
import { markPageRows } from './promised-rows.ts';
import { readHeader, readRowTag } from './row-index.ts';
import { rowTagOf } from './row-tags.ts';
import { findSentTwice } from './sent-twice.ts';
import { endAt, startAt } from './tape.ts';
import { findFields } from './value-fields.ts';
import { readUtf8 } from './value-text.ts';
import { visitFlight } from './visit-flight.ts';

/** What makes a payload large, and can be made smaller. */
export function findCosts(flight: Flight, understood: Understood): Finding[] {
  const base64 = findBase64(flight, understood);
  return [
    ...findSentTwice(understood),
    ...findNestedCopies(flight, understood),
    ...findLargeProps(flight, understood).filter(
      ({ place }) => !base64.some((found) => isSame(flight, found.place, place)),
    ),
    ...findChunkNames(understood),
    ...base64,
    ...findDevelopment(flight, understood),
  ];
}

/** Whether a prop's value is this text, or the first that refers to its row. */
function isSame(flight: Flight, text: Place, prop: Place): boolean {
  const [user = text] = text.start === undefined ? findUsers(flight, readHeader(flight.rows, text.row).id, 1) : [];
  return user.row === prop.row && user.start === prop.start && user.end === prop.end;
}

/** Code and styles that stand in the page. */
const inlineFiles: ReadonlySet<string> = new Set(['script', 'style']);

const attributeAdvice =
  'An attribute is sent with each payload: what has a file of its own, as an image or a stylesheet can, is cached and not sent again.';

/**
 * What to do about a large prop; undefined for what is no prop to trim: what a page shows, and lists of class names, which
 * sent-twice.ts tells of.
 */
function adviseOnProp({ kind, element, prop }: LargeProp): string | undefined {
  if (prop === 'children' || prop === 'others') return undefined;
  if (kind === 'client' || kind === 'other') {
    return 'Send only what the component reads; a client component’s props are all in the payload.';
  }
  if (kind === 'react' || prop === 'className' || prop === 'class') return undefined;
  if (prop !== 'dangerouslySetInnerHTML') return attributeAdvice;
  // Of other elements it is what the page shows, as children are.
  if (!inlineFiles.has(element)) return undefined;
  return 'It stands in the page and is sent with each payload: in a file of its own it is cached. What must stand there, such as data for search engines, can stay.';
}

type LargeProp = Understood['attribution']['props'][number];

function findLargeProps(flight: Flight, understood: Understood): Finding[] {
  const { attribution } = understood;
  const found: Finding[] = [];
  let reader: ItemReader | undefined;
  for (const prop of attribution.props.toSorted((a, b) => b.compressed - a.compressed)) {
    const { element, count, bytes, compressed, largest, largestBytes } = prop;
    const advice = adviseOnProp(prop);
    // A prop of many small values is a list, not a large prop.
    const isLarge = largestBytes >= minBytes && isWorthSaying({ bytes, compressed }, understood);
    // Props are what a payload is for: they are mentioned from twice the share of other costs on.
    if (advice === undefined || !isLarge || compressed < attribution.compressed * minShare * 2) continue;
    const uses = count === 1 ? '' : ` in ${countOf(count, 'element')}`;
    const title = `The prop ${prop.prop} of <${element}> carries ${share(prop, understood)}${uses}.`;
    reader ??= createItemReader(flight, attribution);
    const parts = findFields(reader, largest)
      .slice(0, maxParts)
      .map(({ name, ...field }) => ({ title: name, ...field }));
    found.push(cost('large-prop', prop, { title, advice, place: largest, parts }));
    if (found.length === maxOfKind) break;
  }
  return found;
}

/** The app's own modules. Those of the framework are told beside them: nobody can do anything about them. */
function findChunkNames(understood: Understood): Finding[] {
  const { modules } = understood;
  const own = modules.filter(({ isFrameworks }) => !isFrameworks);
  const size = {
    bytes: own.reduce((sum, { chunkBytes }) => sum + chunkBytes, 0),
    compressed: own.reduce((sum, { compressedChunks }) => sum + compressedChunks, 0),
  };
  const sorted = own.toSorted((a, b) => b.compressedChunks - a.compressedChunks);
  const [largest] = sorted;
  if (!largest || !isWorthSaying(size, understood)) return [];
  const others = modules.reduce((sum, { isFrameworks, chunkBytes }) => sum + (isFrameworks ? chunkBytes : 0), 0);
  const more = others === 0 ? '' : ` The framework’s own are ${formatBytes(others)} more.`;
  const title = `The names of the files of ${countOf(own.length, 'client module')} are ${share(size, understood)}.${more}`;
  const advice =
    'Each client module names its files. Modules that are always used together can be one, and a client component that holds the others names only its own.';
  const parts = sorted
    .slice(0, maxParts)
    .map((used) => sizePart(nameModule(used), { bytes: used.chunkBytes, compressed: used.compressedChunks }, used));
  return [cost('chunk-names', size, { title, advice, place: { row: largest.row }, parts })];
}

const base64 = /^(?:data:[\w./+-]*(?:;[\w=-]+)*;base64,)?[A-Za-z0-9+/\s_-]+={0,2}$/;

/** Text with spaces is prose, and text without upper case, lower case or digits is a word or hex. */
function isBase64(text: string): boolean {
  if (text.length < minBase64 || !base64.test(text)) return false;
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text) && !/ /.test(text);
}

function findBase64(flight: Flight, understood: Understood): Finding[] {
  const { tape, rows } = flight;
  const pageRows = markPageRows(flight);
  const found: { start: number; end: number; place: Place }[] = [];
  visitFlight(flight, {
    text: (text, row, at) => {
      if (pageRows?.[row] === 0 || !isBase64(text)) return;
      found.push({ start: startAt(tape, at), end: endAt(tape, at, flight.bytes), place: placeOf(flight, row, at) });
    },
  });
  for (let row = 0; row < rows.count; row++) {
    const { tag, payloadStart, payloadEnd } = readHeader(rows, row);
    if (rowTagOf(tag).holds !== 'text' || payloadEnd - payloadStart < minBase64 || pageRows?.[row] === 0) continue;
    if (!isBase64(readUtf8(flight, payloadStart, payloadEnd))) continue;
    found.push({ start: payloadStart, end: payloadEnd, place: { row } });
  }
  const sizes = found.map(({ start, end, place }) => ({
    bytes: end - start,
    compressed: understood.compression.of(start, end),
    place,
  }));
  const size = {
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    compressed: sizes.reduce((sum, { compressed }) => sum + compressed, 0),
  };
  const sorted = sizes.toSorted((a, b) => b.compressed - a.compressed);
  const [largest] = sorted;
  if (!largest || !isWorthSaying(size, understood)) return [];
  const title = `${countOf(found.length, 'string')} of base64: ${share(size, understood)}.`;
  const advice = 'Most likely a file: with an address of its own it is cached, and not sent again with each payload.';
  const parts = sorted.slice(0, maxParts).map((one) => sizePart('base64', one, one.place));
  return [cost('base64', size, { title, advice, place: largest.place, parts: parts.length === 1 ? [] : parts })];
}

function findDevelopment(flight: Flight, understood: Understood): Finding[] {
  const { kinds, compressedKinds } = understood.attribution;
  const size = { bytes: kinds.debug, compressed: compressedKinds.debug };
  const place = findLargestDebugRow(flight);
  if (size.bytes === 0 || !place) return [];
  const title = `Written by a development server, for which its debug data are ${share(size, understood)}.`;
  const advice = 'Measure a payload of the production build: it has none of this, and what is left is smaller.';
  return [cost('development', size, { title, advice, place })];
}

function findLargestDebugRow({ rows }: Flight): Place | undefined {
  let largest: Place | undefined;
  let most = 0;
  for (let row = 0; row < rows.count; row++) {
    const size = (rows.starts[row + 1] ?? 0) - (rows.starts[row] ?? 0);
    if (readRowTag(rows, row).role !== 'debug' || size <= most) continue;
    most = size;
    largest = { row };
  }
  return largest;
}
