import {
  byteKinds,
  byteKindNames,
  countOf,
  type Flight,
  type FlightState,
  formatCount,
  formatShare,
  guessReact,
  printRow,
  readHeader,
  readRow,
  rowTagOf,
  formatBytes,
  formatDuration,
  describePersonalData,
  type FindingPart,
  nameTransfer,
  type Transfer,
} from '#flight';

import { columns, fit, heading, maxLines, type Paint, printMore, wrap } from './lines.ts';
import { printServerTime } from './print-server-time.ts';
import type { Report } from './report.ts';

/** A screen or two. Nobody reads more of them in a terminal, and a payload of 5 MB has tens of thousands. */
const maxRows = 40;

/** @param hasAllRows also of a long payload */
export function* printReport(title: string, report: Report, paint: Paint, hasAllRows: boolean): Generator<string> {
  const { flight } = report;
  yield* printHead(title, report, paint);
  yield* printFindings(report, paint);
  yield* printServerTime(report, paint);
  yield* printBytes(report, paint);
  yield* printElements(report, paint);
  yield* printModules(report, paint);
  yield* printDuplicates(report, paint);
  if (hasAllRows || flight.rows.count <= maxRows) yield* printRows(flight, paint);
  else yield* printRowsInShort(flight, paint);
}

export function describeState(state: FlightState): string {
  switch (state.kind) {
    case 'complete':
      return 'complete';
    case 'aborted':
      return `aborted: rows refer to the error in row ${state.error.toString(16)}`;
    case 'halted':
      return `halted: ${countOf(state.pending.length, 'row')} promised and never sent`;
    case 'truncated':
      return `truncated at byte ${state.at}: ${state.reason}`;
    case 'malformed':
      return `malformed at byte ${state.at}: ${state.reason}`;
  }
}

/** Says the sizes in the words of the interface. What is not known is left out. */
function describeSizes({ sizes: { flight, response, transferred } }: Report): string {
  const known = [`Flight ${countOf(flight, 'byte')}`];
  if (response !== undefined) known.push(`response ${countOf(response, 'byte')}`);
  if (transferred !== undefined) known.push(`transferred ${countOf(transferred, 'byte')}`);
  return known.join(' · ');
}

function* printHead(title: string, report: Report, paint: Paint): Generator<string> {
  const { flight, framework } = report;
  const react = guessReact(flight);
  const line = react.guess === '19.0' ? 'React 19' : `React ${react.guess}`;
  const facts = [
    framework ?? 'framework unknown',
    `${line}${react.isDevelopment ? ', development' : ''}`,
    countOf(flight.rows.count, 'row'),
  ];
  yield `${paint('title', fit(title))}\n${facts.join(' · ')}\n${describeSizes(report)}\n`;
  if (flight.marker) yield `Next.js says that this payload is ${flight.marker}\n`;
  const isWhole = flight.state.kind === 'complete';
  const state = fit(describeState(flight.state));
  yield `${isWhole ? state : paint('problem', state)}\n`;
}

function* printFindings({ findings, personal, transfer }: Report, paint: Paint): Generator<string> {
  yield heading(paint, 'Findings');
  if (findings.length === 0) yield '  nothing to act on\n';
  for (const { weight, title, advice, parts } of findings) {
    let mark = weight === 'problem' ? '! ' : '- ';
    for (const line of wrap(title, 4)) {
      yield `  ${mark}${weight === 'problem' ? paint('problem', line) : line}\n`;
      mark = '  ';
    }
    for (const part of parts) yield `    ${fit(`· ${part.title}${printSize(part, transfer)}`, columns - 4)}\n`;
    for (const line of wrap(advice, 4)) yield `    ${paint('faint', line)}\n`;
  }
  const held = describePersonalData(personal);
  if (held !== undefined) yield `  ${paint('faint', `${held}: a fact, and no fault`)}\n`;
}

function printSize({ bytes, compressed, ms }: FindingPart, transfer: Transfer | undefined): string {
  if (ms !== undefined) return `: ${formatDuration(ms)}`;
  if (bytes === undefined) return '';
  const left = compressed === undefined ? '' : `, about ${formatBytes(compressed)} ${nameTransfer(transfer)}`;
  return `: ${formatBytes(bytes)}${left}`;
}

function shareColumn(bytes: number, total: number): string {
  return formatShare(bytes, total).padStart(7);
}

function bytesColumn(bytes: number): string {
  return formatCount(bytes).padStart(11);
}

function* printBytes({ attribution }: Report, paint: Paint): Generator<string> {
  yield heading(paint, 'Bytes by cause');
  const { kinds, total } = attribution;
  const kindsBySize = byteKinds.filter((kind) => kinds[kind] > 0).toSorted((a, b) => kinds[b] - kinds[a]);
  for (const kind of kindsBySize) {
    const bar = '#'.repeat(Math.round((kinds[kind] / Math.max(total, 1)) * 30));
    yield (
      `${bytesColumn(kinds[kind])} ${shareColumn(kinds[kind], total)}  ${byteKindNames[kind].padEnd(20)} ${bar}`.trimEnd() +
        '\n'
    );
  }
}

function* printElements({ attribution }: Report, paint: Paint): Generator<string> {
  const { elements, total } = attribution;
  if (elements.length === 0) return;
  yield heading(paint, 'Bytes by element, without the elements inside');
  for (const { name, count, own } of elements.slice(0, maxLines)) {
    yield `${fit(`${bytesColumn(own)} ${shareColumn(own, total)}  <${name}> × ${formatCount(count)}`)}\n`;
  }
  yield* printMore(elements.length);
}

function* printModules({ modules }: Report, paint: Paint): Generator<string> {
  if (modules.length === 0) return;
  yield heading(paint, 'Client modules');
  for (const { id, name, module, elements, values, bytes } of modules.slice(0, maxLines)) {
    const uses = elements + values === 0 ? 'not used' : `used ${formatCount(elements + values)} ×`;
    yield `${fit(`${bytesColumn(bytes)}  ${id.toString(16)}: ${name || '(default)'}, ${uses}, ${module}`)}\n`;
  }
  yield* printMore(modules.length);
}

function* printDuplicates({ duplicates }: Report, paint: Paint): Generator<string> {
  if (duplicates.count === 0) return;
  const isOne = duplicates.wasted === 1;
  yield heading(paint, `Duplicates: ${countOf(duplicates.wasted, 'byte')} ${isOne ? 'is' : 'are'} sent again`);
  for (const { wasted, count, text } of duplicates.list.slice(0, maxLines)) {
    yield `${fit(`${bytesColumn(wasted)}  ${formatCount(count)} × ${text}`)}\n`;
  }
  yield* printMore(duplicates.count);
}

function rowsHead(paint: Paint): string {
  return `${paint('faint', `${'id'.padStart(8)} tag     offset      bytes  value`)}\n`;
}

function printOneRow(flight: Flight, row: number): string {
  const content = readRow(flight, row);
  const { id, tag, start, end } = content;
  const columnsBefore = `${id.toString(16).padStart(8)} ${tag.padEnd(3)} ${bytesColumn(start).slice(1)} ${bytesColumn(end - start).slice(1)}`;
  return `${fit(`${columnsBefore}  ${printRow(flight, content)}`)}\n`;
}

function* printRows(flight: Flight, paint: Paint): Generator<string> {
  yield heading(paint, 'Rows');
  yield rowsHead(paint);
  for (let row = 0; row < flight.rows.count; row++) yield printOneRow(flight, row);
}

type RowSums = { readonly name: string; rows: number; bytes: number };

/** What kinds of rows there are, the one with the most bytes first, and the largest rows. */
function sumRows({ rows }: Flight): { readonly kinds: readonly RowSums[]; readonly largest: readonly number[] } {
  const kinds = new Map<string, RowSums>();
  const sizes = new Uint32Array(rows.count);
  for (let row = 0; row < rows.count; row++) {
    const { tag, start, end } = readHeader(rows, row);
    const { name } = rowTagOf(tag);
    const sums = kinds.get(name) ?? { name, rows: 0, bytes: 0 };
    sums.rows += 1;
    sums.bytes += end - start;
    kinds.set(name, sums);
    sizes[row] = end - start;
  }
  const bySize = Uint32Array.from(sizes, (_, row) => row).sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b);
  return { kinds: [...kinds.values()].sort((a, b) => b.bytes - a.bytes), largest: [...bySize.subarray(0, maxLines)] };
}

function* printRowsInShort(flight: Flight, paint: Paint): Generator<string> {
  const { kinds, largest } = sumRows(flight);
  yield heading(paint, 'Rows by kind');
  for (const { name, rows, bytes } of kinds) {
    yield `${fit(`${bytesColumn(bytes)} ${shareColumn(bytes, flight.bytes.length)}  ${name} × ${formatCount(rows)}`)}\n`;
  }
  yield heading(paint, 'The largest rows');
  yield rowsHead(paint);
  for (const row of largest) yield printOneRow(flight, row);
  const hidden = flight.rows.count - largest.length;
  yield `         and ${formatCount(hidden)} more: --rows shows every row, in the order sent\n`;
}
