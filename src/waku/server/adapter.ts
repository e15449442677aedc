import 'server-only';

import { config, isBuild } from 'virtual:vite-rsc-waku/config';
import realAdapter from 'virtual:flight-recorder/adapter';
import { handleInside } from 'virtual:flight-recorder/handlers';
import {
  actions,
  basePath,
  blockForged,
  digests,
  mountPath,
  recorder,
  reports,
  strictActions,
} from 'virtual:flight-recorder/options';
import path from 'node:path';

import { isRecord } from '#boundary';
import { refuse } from '#src/server/http/refuse.ts';
import { screenFetch } from '#src/flights/guard/screen-fetch.ts';
import { createScreen } from '#src/flights/watch/screen-requests.ts';
import { splitUrl } from '#src/server/http/request-url.ts';
import { flightPrefix } from '#src/server/http/waku-addresses.ts';

import { checkActions, takeActionPosts } from './action-posts.ts';
import { openInside } from './open-inside.ts';
import { receiveFeedback, receiveReports } from './receive-from-browsers.ts';
import { recordRequests } from './record-requests.ts';

/**
 * What `waku/adapters/default` and `/node` are in the app's server: Waku's Node adapter, with its options as the app gives them, and
 * around its `fetch`, outermost first:
 *
 * 1. what every request of the app needs: its context, its recording;
 * 2. the interface, at its mount path: nothing of the app sees those requests;
 * 3. with `blockForged` a look at the body of what may call a server function;
 * 4. server actions that were posted to the page's URL, which go on to Waku's own address;
 * 5. the app: its files, its middleware, its pages.
 *
 * The interface and the recorder start with the server, never in a build: with `serve`, or with the first request where nobody
 * calls that, as in development.
 */
type Adapter = typeof realAdapter;
type Entry = ReturnType<Adapter>;
type Fetch = (request: Request, ...rest: unknown[]) => Response | Promise<Response>;

function withActionPosts(fetch: Fetch): Fetch {
  if (strictActions) return checkActions(fetch, flightPrefix);
  return actions ? takeActionPosts(fetch, flightPrefix) : fetch;
}

/** A bundler drops the judge where the option is off. */
const screen = blockForged === undefined ? undefined : createScreen(blockForged === 'refuse');

function withScreen(fetch: Fetch): Fetch {
  if (!screen) return fetch;
  return async function fetchScreened(request, ...rest) {
    const verdict = await screenFetch(screen, request);
    if (verdict === 'fine') return fetch(request, ...rest);
    return refuse('forged-request', 'json', verdict === 'forged' ? 'judged by its body' : 'too long to judge');
  };
}

function withInterface(fetch: Fetch): Fetch {
  if (mountPath === undefined) return fetch;
  return async function fetchBeside(request, ...rest) {
    const beside = await openInside();
    if (beside?.owns(splitUrl(request.url).pathname)) return beside.forward(request, rest[0]);
    return fetch(request, ...rest);
  };
}

function withRecording(fetch: Fetch): Fetch {
  if (!digests && !recorder && !reports) return fetch;
  return recordRequests(fetch, {
    basePath,
    open: openInside,
    receivers: {
      reports: reports ? receiveReports : undefined,
      feedback: digests ? receiveFeedback : undefined,
    },
    publicFolder: isBuild ? path.resolve(config.distDir, 'public') : undefined,
  });
}

/** Each condition is written where it counts: a bundler drops what only a part that is off would call. */
function openAtStart(options: unknown): void {
  if (digests || recorder || reports || mountPath !== undefined) void openInside(readPort(options));
}

/** Of what `serve-node.js` gives the server: the port, when `PORT` names one. */
function readPort(options: unknown): number | undefined {
  return isRecord(options) && typeof options['port'] === 'number' ? options['port'] : undefined;
}

export default function flightAdapter(...[handlers, options]: Parameters<Adapter>): Entry {
  const entry = realAdapter(handleInside(handlers), options);
  const { serve } = entry;
  return {
    ...entry,
    fetch: withRecording(withInterface(withScreen(withActionPosts(entry.fetch)))),
    serve(...args: unknown[]) {
      openAtStart(args[0]);
      return typeof serve === 'function' ? Reflect.apply(serve, entry, args) : undefined;
    },
  };
}
