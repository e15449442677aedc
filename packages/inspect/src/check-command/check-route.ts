import { describePage, openFlights, recordOf, type Framework, type PayloadRequest } from '#flight';

import { documentHeaders, type Fetched } from '../flight-command/fetch-bounded.ts';
import { hashText, toSizes } from '../flight-command/fetch-page.ts';
import { makeReport, type Report } from '../flight-command/report.ts';
import { readPageLinks, type PageLinks } from './read-page-links.ts';
import type { Visited, Visitor } from './visit-site.ts';

/** One page, as a visitor gets it who comes from elsewhere, who comes from another page, and whose browser fetches it before. */
export type CheckedRoute = {
  readonly path: string;
  /** The pattern, where the payload tells it. */
  readonly route: string | undefined;
  readonly document: Fetched;
  readonly links: PageLinks;
  readonly framework: Framework | undefined;
  /** Undefined of a framework without such a request, and of an answer that is no Flight. */
  readonly navigation: Payload | undefined;
  readonly prefetch: Payload | undefined;
  /** Of the navigation's payload, or of the document's where there is none; undefined where neither has Flight. */
  readonly report: Report | undefined;
  /** The document is Flight, though a page was asked for. */
  readonly isFlight: boolean;
  /** What could not be fetched or read, each in a few words. */
  readonly problems: readonly string[];
};

/** `requested`: the names of the headers that made the answer a payload, in lower case. */
type Payload = { readonly answer: Fetched; readonly requested: readonly string[] };

export type FailedRoute = { readonly path: string; readonly reason: string };

const utf8 = new TextDecoder();

type AskedPayload = { readonly payload: Payload | undefined; readonly problems: readonly string[] };

async function askPayload(visitor: Visitor, what: string, request: PayloadRequest | undefined): Promise<AskedPayload> {
  if (!request) return { payload: undefined, problems: [] };
  const visited: Visited = await visitor.get(new URL(request.url), request.headers);
  if (visited.kind === 'failed') return { payload: undefined, problems: [`its ${what}: ${visited.reason}`] };
  const { answer } = visited;
  const opened = await openFlights(answer.bytes);
  const isFlight = opened.kind === 'flights' && opened.flights[0]?.origin.kind === 'payload';
  const type = answer.contentType === '' ? 'without a type' : answer.contentType;
  const problem = `its ${what} answered ${answer.status} ${type}, which is no Flight`;
  if (!isFlight) return { payload: undefined, problems: [problem] };
  return { payload: { answer, requested: request.headers.map(([name]) => name.toLowerCase()) }, problems: [] };
}

/** @param before pages that were looked at: one of them may tell what the site is made with, or be where this one leads to */
export async function checkRoute(
  visitor: Visitor,
  url: URL,
  before: readonly CheckedRoute[],
): Promise<CheckedRoute | FailedRoute> {
  const asked = url.pathname + url.search;
  const visited = await visitor.get(url, documentHeaders);
  if (visited.kind === 'failed') return { path: asked, reason: visited.reason };
  const document = visited.answer;
  const path = document.url.pathname + document.url.search;
  if (path !== asked && before.some((route) => route.path === path)) {
    return { path: asked, reason: `it leads to ${path}, which is a page above` };
  }
  const html = utf8.decode(document.bytes);
  const direct = await openFlights(document.bytes);
  const isFlight = direct.kind === 'flights' && direct.flights[0]?.origin.kind === 'payload';
  const page = describePage(html);
  const framework = page.framework?.guess ?? before.find((route) => route.framework)?.framework;
  const record = framework && recordOf(framework);
  const address = document.url.href;
  const navigation = await askPayload(visitor, 'navigation', record?.askPayload?.(address, hashText));
  const prefetch = await askPayload(visitor, 'prefetch', record?.askPrefetch?.(address, hashText));
  const bytes = navigation.payload?.answer.bytes ?? page.flights[0]?.bytes;
  const chunks = navigation.payload?.answer.chunks ?? [];
  const sizes = toSizes(navigation.payload?.answer ?? document);
  return {
    path,
    route: page.route,
    document,
    links: readPageLinks(html, document.url),
    framework,
    navigation: navigation.payload,
    prefetch: prefetch.payload,
    report: bytes && makeReport({ title: path, bytes, chunks, sizes }),
    isFlight,
    problems: [...navigation.problems, ...prefetch.problems],
  };
}
