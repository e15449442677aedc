import type { BrowserError, Sender } from './browser-error.ts';
import { randomHex } from './random-hex.ts';

/**
 * The report of an error as Sentry's SDKs send it, with what the receiver keeps of a report, and no more. Its format:
 * https://develop.sentry.dev/sdk/foundations/data-model/envelopes/
 */
/** Characters; the receiver keeps as many of each text. */
const textLimit = 8_192;
const causesKept = 5;
/** `at fn (file:1:2)` and `at file:1:2` of V8, `fn@file:1:2` of the other engines. */
const framePattern = /^(?:\s+at (?:async )?(?:(.*?) \()?|(.*?)@)(\S+?):(\d+):(\d+)\)?$/gm;

function readFrames(stack: string): object[] {
  const frames = Array.from(stack.matchAll(framePattern), ([, v8, other, filename, line, column]) => ({
    function: v8 ?? other,
    filename,
    lineno: Number(line),
    colno: Number(column),
  }));
  // Sentry lists the innermost last.
  return frames.toReversed();
}

/** An error and its causes, the innermost first. What is thrown need not be an error. */
function describeExceptions(error: unknown, left: number): object[] {
  const {
    name,
    message,
    stack = '',
    cause,
  }: Partial<Error> = error instanceof Error ? error : { message: String(error) };
  const causes = cause && left ? describeExceptions(cause, left - 1) : [];
  return [...causes, { type: name, value: message?.slice(0, textLimit), stacktrace: { frames: readFrames(stack) } }];
}

export function writeEnvelope(
  { error, identity, time, mechanism, componentStack, url, breadcrumbs, more }: BrowserError,
  { dsn, environment, release, traceId, name }: Sender,
): string {
  const event = {
    timestamp: time / 1000,
    platform: 'javascript',
    sdk: { name },
    environment,
    release,
    tags: { ...identity, mechanism },
    request: { url },
    breadcrumbs,
    contexts: {
      trace: { trace_id: traceId, span_id: randomHex(8) },
      react: { componentStack: componentStack?.slice(0, textLimit) },
    },
    exception: describeExceptions(error, causesKept),
    ...more,
  };
  return `${JSON.stringify({ event_id: randomHex(16), sent_at: '', dsn })}\n{"type":"event"}\n${JSON.stringify(event)}`;
}
