import { describeServerWaits, formatDuration, introduceServerTime, nameSpan, printWords } from '#flight';

import { fit, heading, maxLines, type Paint, printMore, wrap } from './lines.ts';
import type { Report } from './report.ts';

/** Beyond it names would have no room. */
const deepest = 8;

/** What a recorder knew of the server, of an exported flight: its longest spans, and what stands out. */
export function* printServerTime({ serverTime, shell }: Report, paint: Paint): Generator<string> {
  if (!serverTime) return;
  const { spans } = serverTime;
  yield heading(paint, 'Where the server’s time went');
  const from = Math.min(0, ...spans.map(({ at }) => at));
  const until = Math.max(...spans.map(({ at, ms }) => at + ms));
  for (const line of wrap(introduceServerTime(serverTime, until - from), 2)) yield `  ${paint('faint', line)}\n`;
  const longest = new Set(spans.toSorted((a, b) => b.ms - a.ms).slice(0, maxLines));
  for (const span of spans.filter((one) => longest.has(one))) {
    const place = span.place === undefined ? '' : ` ${span.place}`;
    const name = `${'  '.repeat(Math.min(span.depth, deepest))}${nameSpan(span)}${place}${span.hasFailed ? ' failed' : ''}`;
    yield `${fit(`${formatDuration(span.ms).padStart(11)}  ${name}`)}\n`;
  }
  yield* printMore(spans.length + serverTime.left);
  for (const { title, guess, advice } of describeServerWaits(serverTime, shell)) {
    let mark = '- ';
    for (const line of wrap(printWords(title), 4)) {
      yield `  ${mark}${line}\n`;
      mark = '  ';
    }
    for (const line of wrap(printWords(guess), 4)) yield `    ${line}\n`;
    for (const line of wrap(printWords(advice), 4)) yield `    ${paint('faint', line)}\n`;
  }
}
