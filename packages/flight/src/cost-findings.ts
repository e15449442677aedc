import { findUsers } from './attribution.ts';
import {
  cost,
  countOf,
  isWorthSaying,
  listWords,
  maxOfKind,
  maxParts,
  minBase64,
  share,
  sizePart,
  type Finding,
  type Understood,
} from './finding.ts';
import type { Flight } from './flight.ts';
import { formatBytes } from './format-numbers.ts';
import type { ModuleUse } from './module-use.ts';
import { nameModule } from './modules.ts';
import { placeOf, type Place } from './place.ts';
import { markPageRows } from './promised-rows.ts';
import { readHeader, readRowTag } from './row-index.ts';
import { rowTagOf } from './row-tags.ts';
import { findSentTwice } from './sent-twice.ts';
import { endAt, startAt } from './tape.ts';
import { readUtf8 } from './value-text.ts';
import { visitFlight } from './visit-flight.ts';

/** What makes a payload large, and can be made smaller. */
export function findCosts(flight: Flight, understood: Understood): Finding[] {
  const base64 = findBase64(flight, understood);
  return [
    ...findSentTwice(understood),
    ...findLargeProps(understood).filter(({ place }) => !base64.some((found) => isSame(flight, found.place, place))),
    ...findUnusedModules(flight, understood),
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

const ownSentence = new Set(['children', 'className', 'class', 'others']);

function findLargeProps(understood: Understood): Finding[] {
  const { props } = understood.attribution;
  const large = props
    .filter(({ prop, bytes, compressed, largestBytes }) => {
      // A prop of many small values is a list, not a large prop. It is mentioned from twice the size of other costs on.
      const size = { bytes: Math.min(bytes / 2, largestBytes), compressed: compressed / 2 };
      return !ownSentence.has(prop) && isWorthSaying(size, understood);
    })
    .toSorted((a, b) => b.compressed - a.compressed);
  return large.slice(0, maxOfKind).map((found) => {
    const { element, prop, count, largest } = found;
    const uses = count === 1 ? '' : ` in ${countOf(count, 'element')}`;
    const title = `${prop} of <${element}> carries ${share(found, understood)}${uses}.`;
    const advice = 'Send only what the component reads; a client component’s props are all in the payload.';
    return cost('large-prop', found, { title, advice, place: largest });
  });
}

/**
 * Modules that nothing uses. Their use may be in what is missing, so nothing is said of a payload that is not whole; nor of
 * one with errors, which leave the modules of what they replaced; nor of a development server's, which refers to modules in
 * data that may travel elsewhere.
 */
function findUnusedModules(flight: Flight, understood: Understood): Finding[] {
  const { modules, facts } = understood;
  const isWhole = flight.state.kind === 'complete' && flight.marker !== 'partial' && facts.isCut !== true;
  if (!isWhole || flight.rows.hasDebug || hasErrors(flight)) return [];
  const unused = modules.filter(({ isFrameworks, elements, values }) => !isFrameworks && elements + values === 0);
  const [first] = unused.toSorted((a, b) => b.compressed - a.compressed);
  if (!first) return [];
  const names = listWords(unused.map(nameModule), maxOfKind);
  const title = `${countOf(unused.length, 'client module')} named and not used, ${names}: ${share(sumOf(unused), understood)}.`;
  const advice =
    'The browser loads the files of each all the same. Look for a component that is passed on, or begun, and not shown.';
  const parts = unused.length === 1 ? [] : unused.slice(0, maxParts).map((used) => modulePart(used));
  return [cost('unused-modules', sumOf(unused), { title, advice, place: { row: first.row }, parts })];
}

function hasErrors({ rows }: Flight): boolean {
  for (let row = 0; row < rows.count; row++) if (readRowTag(rows, row).role === 'error') return true;
  return false;
}

function sumOf(modules: readonly ModuleUse[]): { bytes: number; compressed: number } {
  return {
    bytes: modules.reduce((sum, { bytes }) => sum + bytes, 0),
    compressed: modules.reduce((sum, { compressed }) => sum + compressed, 0),
  };
}

function modulePart(module: ModuleUse) {
  return sizePart(nameModule(module), module, { row: module.row });
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
