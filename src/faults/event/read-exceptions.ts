import 'server-only';

import type { TextBudget } from '../receive/text-budget.ts';
import { asInteger, asRecord, asText, boundText, type JsonRecord } from '../receive/untrusted-json.ts';
import { readValues } from './event-values.ts';
import { formatMessage, saysSomething } from './format-message.ts';
import { type EventFrame, formatStack, type FrameReader } from './read-event-frames.ts';

/** The thrown error, its causes, and React's component stack, which an SDK puts among them. */
export type ReadExceptions = {
  readonly thrown: JsonRecord | undefined;
  readonly name: string | undefined;
  readonly message: string | undefined;
  /** What the message was made of, where it is a log entry's: the same for all its values. */
  readonly template: string | undefined;
  /** Of the thrown error; else of the event, or of the thread that ended it. */
  readonly stacktrace: unknown;
  /** The other exceptions, outermost first. */
  readonly causes: readonly JsonRecord[];
  /** The one that has the component stack. */
  readonly components: JsonRecord | undefined;
};

const limits = { name: 256, message: 8_192, causeMessage: 2_048, causeStack: 4_096 } as const;
const causesKept = 5;
/** Of texts. What of the frames is stored, to-rows.ts bounds. */
const causesJsonLimit = 16 * 1024;
const causeFramesKept = 10;

/** `captureReactException` adds the component stack to the error as a cause of this name. */
function isComponentStack(exception: JsonRecord): boolean {
  return typeof exception['type'] === 'string' && exception['type'].startsWith('React ErrorBoundary ');
}

function readOrder(exception: JsonRecord): number | undefined {
  return asInteger(asRecord(exception['mechanism'])?.['exception_id']);
}

/** The thrown error first. SDKs that number exceptions give it 0; all put it last. */
function sortOutermostFirst(exceptions: readonly JsonRecord[]): readonly JsonRecord[] {
  const reversed = exceptions.toReversed();
  if (reversed.some((exception) => readOrder(exception) === undefined)) return reversed;
  return reversed.toSorted((a, b) => (readOrder(a) ?? 0) - (readOrder(b) ?? 0));
}

/** A value that is no text was thrown, or is its SDK's own: shown as JSON. */
function readSaid(value: unknown, limit: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? asText(value, limit) : boundText(writeJson(value), limit);
}

function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested deeper than can be written.
    return '';
  }
}

type Message = { readonly text: string; readonly template: string | undefined };

function readLogEntry(entry: JsonRecord): Message | undefined {
  const pattern = asText(entry['message'], limits.message) ?? '';
  const formatted = asText(entry['formatted'], limits.message) || formatMessage(pattern, entry['params']);
  const text = boundText(formatted, limits.message);
  if (text === '') return undefined;
  return { text, template: pattern !== text && saysSomething(pattern) ? pattern : undefined };
}

/** Some SDKs send a pattern with its values, others the text that these make, others both. */
function readMessage(event: JsonRecord): Message | undefined {
  for (const entry of [event['logentry'], event['message'], event['sentry.interfaces.Message']]) {
    const text = asText(entry, limits.message);
    const message = text ? { text, template: undefined } : readLogEntry(asRecord(entry) ?? {});
    if (message) return message;
  }
  return undefined;
}

/** A crash of another thread's making has no exception, only the stack of the thread that ended. */
function readThreadStack(event: JsonRecord): unknown {
  const threads = readValues(event['threads']);
  const thread = threads.find((one) => one['crashed'] === true) ?? threads.find((one) => one['current'] === true);
  return (thread ?? threads[0])?.['stacktrace'];
}

export function readExceptions(event: JsonRecord): ReadExceptions {
  const all = readValues(event['exception'] ?? event['sentry.interfaces.Exception']);
  const [thrown, ...causes] = sortOutermostFirst(all.filter((exception) => !isComponentStack(exception)));
  const logged = readMessage(event);
  const said = readSaid(thrown?.['value'], limits.message) || undefined;
  return {
    thrown,
    causes,
    name: asText(thrown?.['type'], limits.name) || undefined,
    message: said ?? logged?.text,
    template: said === undefined ? logged?.template : undefined,
    stacktrace:
      thrown?.['stacktrace'] ?? event['stacktrace'] ?? event['sentry.interfaces.Stacktrace'] ?? readThreadStack(event),
    components: all.find(isComponentStack),
  };
}

/** The type was made up by the SDK: a captured message, a rejected value that is no error. */
export function isSynthetic({ thrown, name }: ReadExceptions): boolean {
  return name === undefined || asRecord(thrown?.['mechanism'])?.['synthetic'] === true;
}

export type EventCause = {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Innermost first: those that lead from where it was thrown to where it was caught. */
  readonly frames: readonly EventFrame[];
};

export function readEventCauses(
  { causes }: ReadExceptions,
  budget: TextBudget,
  readFrames: FrameReader,
): readonly EventCause[] {
  const kept: EventCause[] = [];
  let bytes = 2;
  for (const cause of causes.slice(0, causesKept)) {
    const name = budget.scrub(asText(cause['type'], limits.name) || 'Error', limits.name);
    const message = budget.scrub(readSaid(cause['value'], limits.causeMessage) ?? '', limits.causeMessage);
    const frames = readFrames(cause['stacktrace']);
    const stack = frames.length === 0 ? '' : formatStack(`${name}: ${message}`, frames, limits.causeStack);
    bytes += Buffer.byteLength(JSON.stringify({ name, message, stack })) + 1;
    if (bytes > causesJsonLimit) break;
    kept.push({ name, message, stack, frames: frames.slice(0, causeFramesKept) });
  }
  return kept;
}

const componentStackLimit = 8_192;

function formatComponents(frames: readonly EventFrame[]): string {
  return frames
    .map(({ fn, file, line, column }) => `    at ${fn || '<anonymous>'} (${file}:${line}:${column})`)
    .join('\n');
}

export function readComponentStack(
  event: JsonRecord,
  { components }: ReadExceptions,
  budget: TextBudget,
  readFrames: FrameReader,
): string | undefined {
  const react = asRecord(asRecord(event['contexts'])?.['react']);
  const text = asText(react?.['componentStack'], componentStackLimit);
  // Scripts are named by their paths everywhere. The report's own path says which host they came from.
  if (text) return budget.scrub(text.replace(/https?:\/\/[^\s/()]{1,256}/g, ''), componentStackLimit);
  return boundText(formatComponents(readFrames(components?.['stacktrace'])), componentStackLimit) || undefined;
}

/** What a console line about one of these errors has in it. */
export function listMessages({ thrown, message, causes }: ReadExceptions): readonly string[] {
  return [
    asText(thrown?.['value'], limits.message),
    message,
    ...causes.slice(0, causesKept).map(({ value }) => asText(value, 1_000)),
  ].filter((text) => text !== undefined);
}

/** What caught the error, in the words of its SDK: `auto.node.onuncaughtexception`. */
export function readMechanism({ thrown }: ReadExceptions): string {
  return asText(asRecord(thrown?.['mechanism'])?.['type'], 128) ?? '';
}
