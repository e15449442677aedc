import { unstable_addBase as addBase, type useRegisterRscEnhancer_UNSTABLE } from 'waku/minimal/client';
import { unstable_decodeRoutePath as decodeRoutePath } from 'waku/router/client-core';

import { prefetchHeader } from '#src/server/http/flight-headers.ts';

import { readControl } from '../control-errors.ts';
import { basePath } from './base-path.ts';
import {
  beginNavigation,
  failNavigation,
  leave,
  noteActionEnd,
  noteActionStart,
  stayUntilConnected,
  type Navigation,
} from './current-navigation.ts';
import { observeResponse } from './observe-response.ts';
import { isServerReachable } from './offline.ts';
import { dropPrefetch, notifyDataChanged, takePrefetch, toKey, type Elements } from './prefetcher.ts';
import { takeIntent, type RequestIntent } from './request-intent.ts';
import { currentConnection } from './router-connection.ts';

type Enhancer = Parameters<ReturnType<typeof useRegisterRscEnhancer_UNSTABLE>>[0];
type RequestRsc = Parameters<Enhancer>[0];
type RequestOptions = Parameters<RequestRsc>[2];
type PrefetchIntent = Extract<RequestIntent, { readonly type: 'prefetch' }>;

/** Every Flight request of the page passes here: prefetches, navigations and actions. Each is handled by its kind. */
export function enhanceRequest(next: RequestRsc): RequestRsc {
  return (rscPath, rscParams, options) => {
    if (options.type === 'call') return sendAction(() => next(rscPath, rscParams, options));
    const intent = takeIntent();
    if (intent?.type === 'stay') return Promise.resolve({ elements: {} });
    if (intent?.type === 'prefetch') return next(rscPath, rscParams, toPrefetch(options, intent));
    const { signal } = options;
    // A request without a signal is a refetch of development. Other paths are slices.
    if (!signal || !rscPath.startsWith('R/') || !(rscParams instanceof URLSearchParams)) {
      return next(rscPath, rscParams, options);
    }
    const query = rscParams.get('query') ?? '';
    return sendNavigation(toKey(rscPath, query), describe(rscPath, query, intent, signal), (navigation) =>
      next(rscPath, rscParams, watch(options, navigation)),
    );
  };
}

function describe(rscPath: string, query: string, intent: RequestIntent | undefined, signal: AbortSignal): Navigation {
  if (intent?.type === 'navigate') return beginNavigation(intent.href, intent.history, signal);
  const url = new URL(window.location.href);
  const path = addBase(decodeRoutePath(rscPath), basePath);
  const isThere = url.pathname === path && url.searchParams.toString() === query;
  if (isThere) return beginNavigation(url.href, isOnScreen(toKey(rscPath, query)) ? 'reload' : 'traverse', signal);
  url.pathname = path;
  url.search = query;
  url.hash = '';
  return beginNavigation(url.href, 'push', signal);
}

function isOnScreen(key: string): boolean {
  const route = currentConnection()?.route;
  if (!route) return false;
  return key.endsWith(`?${route.query}`) && decodeRoutePath(key.slice(0, key.indexOf('?'))) === route.path;
}

async function sendNavigation(
  key: string,
  navigation: Navigation,
  send: (navigation: Navigation) => ReturnType<RequestRsc>,
): ReturnType<RequestRsc> {
  try {
    const elements = (await usePrefetch(key, navigation)) ?? (await sendOnline(navigation, send));
    navigation.phase = { name: 'answered', elements };
    return { elements };
  } catch (error) {
    if (navigation.phase.name === 'leaving') return new Promise(() => {});
    if (isUnauthorized(error) && !navigation.signal.aborted) {
      // A visitor who is no longer signed in is sent to the login page, and back, by the document of the same address.
      leave(navigation);
      return new Promise(() => {});
    }
    failNavigation(navigation);
    throw error;
  }
}

function isUnauthorized(error: unknown): boolean {
  return readControl(error)?.status === 401;
}

/** The prefetched page; undefined when the navigation has to make its own request. */
async function usePrefetch(key: string, navigation: Navigation): Promise<Elements | undefined> {
  if (isOnScreen(key)) {
    // The page that is shown was requested again: the visitor wants it new.
    dropPrefetch(key);
    return undefined;
  }
  const prefetched = takePrefetch(key);
  if (!prefetched) return undefined;
  prefetched.progress.add(navigation.watchdog.progress);
  try {
    const elements = await untilAborted(prefetched.elements, navigation.signal);
    if (!prefetched.isForeign()) {
      prefetched.noteShown();
      return elements;
    }
  } catch {
    // The reason why a prefetch failed, for example a 429, does not matter to the navigation. It makes its own request,
    // and that one may fail by itself.
    navigation.signal.throwIfAborted();
  }
  dropPrefetch(key);
  return undefined;
}

async function sendOnline(
  navigation: Navigation,
  send: (navigation: Navigation) => ReturnType<RequestRsc>,
): Promise<Elements> {
  const { signal } = navigation;
  try {
    return (await send(navigation)).elements;
  } catch (error) {
    signal.throwIfAborted();
    if (!readControl(error)?.unstable_networkError) throw error;
    navigation.watchdog.hold();
    const isReachable = await isServerReachable();
    signal.throwIfAborted();
    if (isReachable) throw error;
  }
  stayUntilConnected(navigation);
  return untilAborted(new Promise<never>(() => {}), signal);
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: settled, resolve, reject } = Promise.withResolvers<T>();
  function abort() {
    reject(signal.reason);
  }
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  promise.then(resolve, reject);
  return settled;
}

function watch(options: RequestOptions, { watchdog }: Navigation): RequestOptions {
  return {
    ...options,
    async fetch(input, init) {
      const response = await options.fetch(input, init);
      watchdog.progress();
      return observeResponse(response, { onChunk: watchdog.progress, onEnd: watchdog.progress });
    },
  };
}

function toPrefetch(options: RequestOptions, { trigger, onResponse }: PrefetchIntent): RequestOptions {
  return {
    ...options,
    async fetch(input, init) {
      const headers = new Headers(init?.headers);
      headers.set(prefetchHeader, trigger);
      return onResponse(await options.fetch(input, { ...init, headers, priority: 'low' }));
    },
  };
}

async function sendAction(send: () => ReturnType<RequestRsc>): ReturnType<RequestRsc> {
  noteActionStart();
  try {
    const result = await send();
    if (Reflect.ownKeys(result.elements).length > 0) notifyDataChanged();
    return result;
  } catch (error) {
    // It may have changed data before it failed, or before the answer was lost.
    notifyDataChanged();
    throw error;
  } finally {
    noteActionEnd();
  }
}
