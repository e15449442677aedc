import 'server-only';

import type { IncomingMessage } from 'node:http';

import { feedbackPath, toldPath, tunnelPath, usagePath } from '#src/server/http/addresses.ts';
import { createAddressReader } from '#src/server/http/client-address.ts';
import { readContact } from '#src/server/http/contact.ts';
import { createFeedbackTaker } from '#src/faults/middleware/take-feedback.ts';
import { createRefusedTeller } from '#src/faults/middleware/refused-of-browsers.ts';
import { relayReport } from '#src/faults/middleware/relay-report.ts';
import { createReportTaker } from '#src/faults/middleware/take-report.ts';
import { createReportedUseTaker } from '#src/flights/middleware/take-reported-use.ts';
import { createUsageTaker } from '#src/flights/middleware/take-usage.ts';
import type { KeptFeedback, PageFeedback } from '#src/faults/feedback/keep-page-feedback.ts';
import type { IngestResult } from '#src/faults/receive/ingest-envelope.ts';

import { readProxies, readPublicOrigin } from '../beside/read-reach.ts';
import { currentInside } from './start-inside.ts';

/**
 * What browsers of the app send to their own origin, below the mount path: their reports, which are handed on as untrusted errors of this
 * app, what people write on error pages, and what became of prefetches and how fast a page was, which goes into the recording here. All
 * else below the mount path is the interface's.
 */
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
  return relayReport(currentInside()?.readAddress(), body, userAgent);
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

const tellRefused = createRefusedTeller(() => currentInside()?.readAddress());

export function receiveReports(): Take {
  return createReportTaker({
    keep: keepReport,
    headers: () => ({}),
    publicOrigin: readPublicOrigin(),
    onRefused: tellRefused,
  });
}

function receiveTold(): Take {
  return createReportedUseTaker({
    note: (told) => currentInside()?.recording?.noteTold(told),
    publicOrigin: readPublicOrigin(),
    onRefused: tellRefused,
  });
}

export function receiveFeedback(): Take {
  return createFeedbackTaker(keepFeedback, readPublicOrigin());
}

/** @returns what answers a request; undefined: it is not for us */
export function createReceiver({ reports, feedback }: Receivers): ReceiveFromBrowser {
  const takeReport = reports?.();
  const takeTold = reports && receiveTold();
  const takeFeedback = feedback?.();
  const takeUsage = createUsageTaker((note) => currentInside()?.recording?.note(note), readPublicOrigin());
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
        return takeUsage(request);
      case toldPath:
        return takeTold?.(request, findAddress(incoming));
      case feedbackPath:
        if (!takeFeedback) return undefined;
        return request.method === 'POST' ? takeFeedback(request, findAddress(incoming)) : tellContact(next);
      default:
        return undefined;
    }
  };
}
