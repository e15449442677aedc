import 'server-only';

import type { IncomingMessage } from 'node:http';

import type { RecorderAddress } from '#src/apps/recorder-url.ts';
import { feedbackPath, mountPath, sdkEnvelopePath, tunnelPath, usagePath } from '#src/http/addresses.ts';
import { createAddressReader } from '#src/http/client-address.ts';
import { readContact } from '#src/http/contact.ts';
import { sideHeader } from '#src/http/flight-headers.ts';
import { isRecord } from '#src/http/is-record.ts';
import { createFeedbackTaker } from '#src/middleware/take-feedback.ts';
import { createReportTaker } from '#src/middleware/take-report.ts';
import { takeUsage } from '#src/middleware/take-usage.ts';
import type { KeptFeedback, PageFeedback } from '#src/reports/feedback/keep-page-feedback.ts';
import type { IngestResult } from '#src/reports/ingest-envelope.ts';

import { readProxies, readPublicOrigin } from '../interface/read-reach.ts';
import { currentInside } from './start-inside.ts';

/**
 * What browsers of the app send to their own origin, below the mount path: their reports, which are handed on as claims of this app,
 * what people write on error pages, and what became of prefetches, which goes into the recording here. All else below the mount
 * path is the interface's.
 */
const answerMs = 10_000;

/** `base` has the recorder's own mount path. */
function toRecorder(base: string, path: string): string {
  return base + path.slice(mountPath.length);
}

async function readId(response: Response): Promise<readonly string[]> {
  const answer: unknown = await response.json();
  return isRecord(answer) && typeof answer['id'] === 'string' ? [answer['id']] : [];
}

async function relayReport(
  { base, app, key }: RecorderAddress,
  body: Uint8Array,
  userAgent: string | undefined,
): Promise<IngestResult> {
  const response = await fetch(toRecorder(base, sdkEnvelopePath(app)), {
    method: 'POST',
    headers: {
      'content-type': 'application/x-sentry-envelope',
      'x-sentry-auth': `Sentry sentry_version=7, sentry_key=${key}`,
      [sideHeader]: 'browser',
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
    },
    body: new Uint8Array(body),
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  });
  if (response.ok) return { status: 'stored', eventIds: await readId(response) };
  await response.text();
  const detail = `the recorder answered ${response.status}`;
  const isUnwanted = response.status === 400 || response.status === 413;
  return { status: 'refused', httpStatus: isUnwanted ? 400 : 503, detail };
}

/** As an SDK of Sentry sends it: an envelope with what a person wrote, for the digest that the error page showed. */
function writeFeedback({ digest, message, path }: PageFeedback): Uint8Array {
  const event = { type: 'feedback', tags: { digest }, contexts: { feedback: { message, url: path } } };
  return new TextEncoder().encode(`{}\n{"type":"feedback"}\n${JSON.stringify(event)}`);
}

async function keepFeedback(form: PageFeedback): Promise<KeptFeedback> {
  const result = await keepReport(writeFeedback(form), undefined);
  return result.status === 'stored' ? { status: 'kept' } : { status: 'no-room', detail: result.detail };
}

async function askInterface(next: () => Response | Promise<Response>): Promise<Response | undefined> {
  const known = await next();
  if (known.ok && known.headers.get('content-type')?.startsWith('application/json')) return known;
  await known.body?.cancel();
  return undefined;
}

/**
 * Whom to give a digest to. Whether somebody is the operator only the interface knows, which answers nobody else.
 * @param next what the app's server answers, which passes it on to the interface
 */
async function tellContact(next: () => Response | Promise<Response>): Promise<Response> {
  const isElsewhere = currentInside()?.isElsewhere === true;
  const known = isElsewhere ? undefined : await askInterface(next);
  if (known) return known;
  const headers = { 'cache-control': 'private, no-store', vary: 'Cookie' };
  return Response.json({ isOperator: false, contact: readContact(), takesFeedback: isElsewhere }, { headers });
}

async function keepReport(body: Uint8Array, userAgent: string | undefined): Promise<IngestResult> {
  const inside = currentInside();
  const address = inside?.readAddress();
  if (!address) return { status: 'refused', httpStatus: 503, detail: 'the recorder is not there' };
  return relayReport(address, body, userAgent);
}

export type ReceiveFromBrowser = (
  request: Request,
  pathname: string,
  incoming: IncomingMessage | undefined,
  /** Asks whoever would be asked without us. */
  next: () => Response | Promise<Response>,
) => Promise<Response> | undefined;

type Take = (request: Request, address: string | undefined) => Promise<Response>;

/** Of each the app may have asked for none: then its addresses are the app's own, and nothing of it is in the build. */
export type Receivers = {
  readonly reports: (() => Take) | undefined;
  readonly feedback: (() => Take) | undefined;
};

export function receiveReports(): Take {
  return createReportTaker({ keep: keepReport, headers: () => ({}), publicOrigin: readPublicOrigin() });
}

export function receiveFeedback(): Take {
  return createFeedbackTaker(keepFeedback, readPublicOrigin());
}

/** @returns what answers a request; undefined: it is not for us */
export function createReceiver({ reports, feedback }: Receivers): ReceiveFromBrowser {
  const takeReport = reports?.();
  const takeFeedback = feedback?.();
  const publicOrigin = readPublicOrigin();
  let readAddress: ((incoming: IncomingMessage) => string) | undefined;

  function findAddress(incoming: IncomingMessage | undefined): string | undefined {
    // What is wrong with the list was said at the start.
    readAddress ??= createAddressReader(readProxies(() => undefined));
    return incoming && readAddress(incoming);
  }

  return function receive(request, pathname, incoming, next) {
    switch (pathname) {
      case tunnelPath:
        return takeReport?.(request, findAddress(incoming));
      case usagePath:
        return takeUsage(request, (note) => currentInside()?.recording?.note(note), publicOrigin);
      case feedbackPath:
        if (!takeFeedback) return undefined;
        return request.method === 'POST' ? takeFeedback(request, findAddress(incoming)) : tellContact(next);
      default:
        return undefined;
    }
  };
}
