import 'server-only';

import { escapeText } from '#boundary';
import type { LogFields, WriteLog } from '#src/server/http/log.ts';
import { formatDigest } from '#report/digest.ts';

import { foldFrames } from './fold-frames.ts';

/**
 * The lines of our modules in somebody else's terminal. An app's author expects there what any server prints of an error: its
 * name, its message and the stack, and beside them the digest that the visitor sees. What is only of interest to whoever runs the
 * recorder stays out; what is lost is said in a sentence.
 */

/** What visitors do wrong, and what goes as it should. */
const silent = new Set(['request-refused', 'flights-sent-again', 'recording-begun-anew', 'retention-waits']);

const sentences: Readonly<Record<string, string>> = {
  'error-not-recorded': 'an error could not be recorded',
  'flight-not-observed': 'a flight is not recorded',
  'flights-not-recorded': 'flights are not recorded',
  'flights-not-written': 'flights cannot be written',
  'flights-not-sent': 'the recorder does not take flights now; they wait here',
  'flights-not-taken': 'flights are lost',
};

function readText(fields: LogFields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** A stack keeps its lines; what a terminal acts on is escaped in each. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n');
}

/** `Error: Boom` and its stack, which mostly begins with the same. */
function describeStack(fields: LogFields): string {
  const [name, message] = [readText(fields, 'name'), readText(fields, 'message')];
  const whole = readText(fields, 'stack');
  // A message may hold anything, also what looks like frames.
  const messageEnd = whole.includes(message) ? whole.indexOf(message) + message.length : 0;
  const stack = whole.slice(0, messageEnd) + foldFrames(whole.slice(messageEnd));
  const title = `${name}: ${message}`;
  if (stack === '') return title;
  return stack.startsWith(name) ? stack : `${title}\n${stack}`;
}

/** The error above has the same callers, and one may have five causes. */
const causeLines = 8;

function describeCauses({ causes }: LogFields): string {
  if (!Array.isArray(causes)) return '';
  const texts = causes.map((cause) => {
    const lines = foldFrames(String(cause)).split('\n').slice(0, causeLines);
    return `\n  Caused by ${lines.join('\n  ')}`;
  });
  return texts.join('');
}

function describeServerError(fields: LogFields): string {
  const where = [readText(fields, 'kind'), readText(fields, 'route')].filter((part) => part !== '').join(' ');
  const source = readText(fields, 'source');
  const facts = [
    `digest ${formatDigest(readText(fields, 'digest'))}`,
    readText(fields, 'phase'),
    where,
    source && `thrown at ${source}`,
  ];
  return `${describeStack(fields)}${describeCauses(fields)}\n    [flight-recorder] ${facts.filter((fact) => fact !== '').join(', ')}`;
}

function describeSource(fields: LogFields): string | undefined {
  const source = readText(fields, 'source');
  if (source === '') return undefined;
  return `    [flight-recorder] digest ${formatDigest(readText(fields, 'digest'))} was thrown at ${source}`;
}

function describe(event: string, fields: LogFields): string | undefined {
  if (silent.has(event)) return undefined;
  if (event === 'server-error') return describeServerError(fields);
  if (event === 'server-error-source') return describeSource(fields);
  const reason = readText(fields, 'reason');
  const digest = readText(fields, 'digest');
  const more = [digest === '' ? '' : `digest ${formatDigest(digest)}`, reason].filter((part) => part !== '');
  return `[flight-recorder] ${sentences[event] ?? event}${more.length > 0 ? `: ${more.join(', ')}` : ''}`;
}

/** Written past `console`, which an app may have replaced with something that reports errors. */
function print(text: string): void {
  process.stderr.write(`${escapeLines(text)}\n`);
}

export function warnInApp(message: string): void {
  print(message.startsWith('[flight-recorder]') ? message : `[flight-recorder] ${message}`);
}

export const printForApp: WriteLog = (level, event, fields) => {
  const text = level === 'info' ? undefined : describe(event, fields);
  if (text !== undefined) print(text);
};
