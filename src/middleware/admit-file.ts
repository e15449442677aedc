import 'server-only';

import { requestIdHeader } from '#src/http/flight-headers.ts';
import { findOperator } from '#src/operator/find-operator.ts';
import { isPublic } from '#src/operator/public-routes.ts';
import { answerRecording, openRecording } from '#src/recorder/recorder.ts';
import type { AdmitFile, FilePass, FileRequest } from '#src/runtime/file-request.ts';
import { serverSettings } from '#src/http/server-settings.ts';

import { createContext, formatTrace, randomHex } from './request-context.ts';
import type { Shedding } from './shed.ts';

/**
 * What the middlewares do for a file that is sent, in one go: for a few kilobytes from memory, the objects that they
 * hand to each other cost several times the answer. It only ever says yes. Whatever is not plain (no session, too much to
 * do, the login off, a header that makes it something else) goes to the middlewares, which alone refuse. So what is
 * allowed here must be what they would allow: the same `isPublic` and `findOperator`, the same count in `shed`.
 */

/** Nothing waits for a file's client to go away: the file is in memory, and is sent at once. */
const neverAborted = new AbortController().signal;

function toHeaders(id: string): string[] {
  return [requestIdHeader, id];
}

async function admitPage(shedding: Shedding, request: FileRequest): Promise<FilePass | undefined> {
  const { path, headers, address, prerendered, outgoing } = request;
  // With the login off a page is changed on its way out: login-off-notice.ts.
  if (serverSettings().auth === 'off') return undefined;
  const context = createContext({ method: 'GET', path, headers, address, signal: neverAborted }, false);
  if (context.kind === 'action') return undefined;
  context.operator = await findOperator(headers.get('cookie'));
  if (!context.operator || outgoing.closed) return undefined;
  const entry = shedding.enter(context.kind, 'GET', path, address);
  if (typeof entry === 'string') return undefined;
  // All who get this file share its bytes, and it is handed over in this turn: no place is held while it is read.
  entry.leave();
  if (prerendered) context.prerendered = prerendered;
  const recording = openRecording(context, () => ({ url: path, headers }));
  const trace = context.kind === 'document' ? ['server-timing', formatTrace(context)] : [];
  return {
    headers: [...toHeaders(context.id), ...trace],
    ...(recording ? { onAnswered: (status) => answerRecording(recording, { status }) } : {}),
  };
}

export function createFileAdmission(shedding: Shedding): AdmitFile {
  return function admitFile(request) {
    if (request.prerendered) return admitPage(shedding, request);
    // Hashed files and the icon: the same for everybody, recorded by nobody, and never turned away.
    const isFree = isPublic('GET', request.path) && shedding.enter('other', 'GET', request.path, '') === 'always';
    return isFree ? { headers: toHeaders(randomHex(16)) } : undefined;
  };
}
