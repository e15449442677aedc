import {
  byteKinds,
  byteKindNames,
  type Flight,
  type FlightState,
  guessReact,
  printRow,
  readRow,
  formatBytes,
  formatCount,
  formatDuration,
  type FindingPart,
} from '#flight';
import { escapeText } from '#src/http/escape-text.ts';
import type { Report } from './report.ts';

/** For people: at most 80 columns wide, every line of it plain text whatever the payload holds. */
export type Paint = (style: 'title' | 'problem' | 'faint', text: string) => string;

const columns = 80;

/** Lines of each table but the rows; the JSON has all. */
const maxLines = 10;

export function* printReport(title: string, report: Report, paint: Paint): Generator<string> {
  const { flight } = report;
  yield* printHead(title, report, paint);
  yield* printFindings(report, paint);
  yield* printBytes(report, paint);
  yield* printElements(report, paint);
  yield* printModules(report, paint);
  yield* printDuplicates(report, paint);
  yield* printRows(flight, paint);
}

/** One line that fits: what is longer ends with `…`. */
function fit(text: string, width = columns): string {
  const line = escapeText(text);
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

function heading(paint: Paint, text: string): string {
  return `\n${paint('title', text)}\n`;
}

export function describeState(state: FlightState): string {
  switch (state.kind) {
    case 'complete':
      return 'complete';
    case 'aborted':
      return `aborted: rows refer to the error in row ${state.error.toString(16)}`;
    case 'halted':
      return `halted: ${formatCount(state.pending.length)} rows promised and never sent`;
    case 'truncated':
      return `truncated at byte ${state.at}: ${state.reason}`;
    case 'malformed':
      return `malformed at byte ${state.at}: ${state.reason}`;
  }
}

function* printHead(title: string, { flight, framework }: Report, paint: Paint): Generator<string> {
  const react = guessReact(flight);
  const line = react.guess === '19.0' ? 'React 19' : `React ${react.guess}`;
  const facts = [
    framework ?? 'framework unknown',
    `${line}${react.isDevelopment ? ', development' : ''}`,
    `${formatCount(flight.bytes.length)} bytes`,
    `${formatCount(flight.rows.count)} rows`,
  ];
  yield `${paint('title', fit(title))}\n${facts.join(' · ')}\n`;
  if (flight.marker) yield `Next.js says that this payload is ${flight.marker}\n`;
  const isWhole = flight.state.kind === 'complete';
  const state = fit(describeState(flight.state));
  yield `${isWhole ? state : paint('problem', state)}\n`;
}

/** Words within the width, each line after `indent` spaces. */
function* wrap(text: string, indent: number): Generator<string> {
  let line = '';
  for (const word of escapeText(text).split(' ')) {
    const isFull = line.length + word.length + 1 > columns - indent && line !== '';
    if (isFull) {
      yield line;
      line = '';
    }
    line = line === '' ? fit(word, columns - indent) : `${line} ${word}`;
  }
  if (line !== '') yield line;
}

function* printFindings({ findings }: Report, paint: Paint): Generator<string> {
  yield heading(paint, 'Findings');
  if (findings.length === 0) yield '  nothing to act on\n';
  for (const { weight, title, advice, parts } of findings) {
    let mark = weight === 'problem' ? '! ' : '- ';
    for (const line of wrap(title, 4)) {
      yield `  ${mark}${weight === 'problem' ? paint('problem', line) : line}\n`;
      mark = '  ';
    }
    for (const part of parts) yield `    ${fit(`· ${part.title}${printSize(part)}`, columns - 4)}\n`;
    for (const line of wrap(advice, 4)) yield `    ${paint('faint', line)}\n`;
  }
}

function printSize({ bytes, compressed, ms }: FindingPart): string {
  if (ms !== undefined) return `: ${formatDuration(ms)}`;
  return bytes === undefined ? '' : `: ${formatBytes(bytes)}, about ${formatBytes(compressed ?? 0)} after compression`;
}

function percent(bytes: number, total: number): string {
  return `${Math.round((bytes / Math.max(total, 1)) * 100)} %`.padStart(6);
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
      `${bytesColumn(kinds[kind])} ${percent(kinds[kind], total)}  ${byteKindNames[kind].padEnd(20)} ${bar}`.trimEnd() +
        '\n'
    );
  }
}

function* printElements({ attribution }: Report, paint: Paint): Generator<string> {
  const { elements, total } = attribution;
  if (elements.length === 0) return;
  yield heading(paint, 'Bytes by element, without the elements inside');
  for (const { name, count, own } of elements.slice(0, maxLines)) {
    yield `${fit(`${bytesColumn(own)} ${percent(own, total)}  <${name}> × ${formatCount(count)}`)}\n`;
  }
  yield* printMore(elements.length);
}

function* printMore(count: number): Generator<string> {
  if (count > maxLines) yield `             and ${formatCount(count - maxLines)} more\n`;
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
  yield heading(paint, `Duplicates: ${formatCount(duplicates.wasted)} bytes are sent again`);
  for (const { wasted, count, text } of duplicates.list.slice(0, maxLines)) {
    yield `${fit(`${bytesColumn(wasted)}  ${formatCount(count)} × ${text}`)}\n`;
  }
  yield* printMore(duplicates.count);
}

function* printRows(flight: Flight, paint: Paint): Generator<string> {
  yield heading(paint, 'Rows');
  yield paint('faint', `${'id'.padStart(8)} tag     offset      bytes  value`) + '\n';
  for (let row = 0; row < flight.rows.count; row++) {
    const content = readRow(flight, row);
    const { id, tag, start, end } = content;
    const columnsBefore = `${id.toString(16).padStart(8)} ${tag.padEnd(3)} ${bytesColumn(start).slice(1)} ${bytesColumn(end - start).slice(1)}`;
    yield `${fit(`${columnsBefore}  ${printRow(flight, content)}`)}\n`;
  }
}
