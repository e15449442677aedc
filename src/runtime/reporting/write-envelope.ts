import type { BrowserError } from './browser-error.ts';
import { randomHex, readTraceId } from './browser-trace.ts';
import { localDsn } from './local-dsn.ts';

/**
 * The report of an error for which the SDK comes too late. It has what the receiver keeps of a report, and no more. Its
 * format: https://develop.sentry.dev/sdk/foundations/data-model/envelopes/
 */
/** Characters; the receiver keeps as many of each text. */
const textLimit = 8_192;
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

export function writeEnvelope({ error, identity, time, mechanism, componentStack, url, breadcrumbs }: BrowserError) {
  const id = randomHex(16);
  const { name, message, stack = '' }: Partial<Error> = error instanceof Error ? error : { message: String(error) };
  const event = {
    timestamp: time / 1000,
    environment: import.meta.env.MODE,
    release: import.meta.env.WAKU_BUILD_ID,
    tags: { ...identity, mechanism },
    request: { url },
    breadcrumbs,
    contexts: {
      trace: { trace_id: readTraceId(), span_id: randomHex(8) },
      react: { componentStack: componentStack?.slice(0, textLimit) },
    },
    exception: [{ type: name, value: message?.slice(0, textLimit), stacktrace: { frames: readFrames(stack) } }],
  };
  return `{"event_id":"${id}","sent_at":"","dsn":"${localDsn}"}\n{"type":"event"}\n${JSON.stringify(event)}`;
}
