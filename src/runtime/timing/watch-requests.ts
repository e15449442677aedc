import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { isRecord } from '#boundary';

import { addCall, holdCall, type LoggedCall } from './call-log.ts';
import { findCurrentCall } from './time-calls.ts';

/**
 * What the app's server asks others while it answers a request, by the channels on which Node and database clients tell it:
 * https://nodejs.org/api/diagnostics_channel.html. Read of a request: its method, its host and its path without the query. Of a
 * query: which kind of statement it is.
 */
type Listener = (message: unknown) => void;

function read(message: unknown, name: string): unknown {
  return typeof message === 'object' && message !== null ? Reflect.get(message, name) : undefined;
}

function readText(message: unknown, name: string): string {
  const value = read(message, name);
  return typeof value === 'string' ? value : '';
}

/** By the object that stands for a request in all of its messages. */
const open = new WeakMap<object, LoggedCall>();

function begin(key: unknown, name: () => string): void {
  if (typeof key !== 'object' || key === null) return;
  const current = findCurrentCall();
  if (!current) return;
  const { log, call } = current;
  log.lastId += 1;
  const logged: LoggedCall = {
    id: log.lastId,
    parent: holdCall(call),
    kind: 'client',
    name: name(),
    place: undefined,
    from: performance.now(),
    until: undefined,
    hasFailed: false,
    isFree: false,
  };
  open.set(key, logged);
  addCall(log, logged);
}

function find(key: unknown): LoggedCall | undefined {
  return typeof key === 'object' && key !== null ? open.get(key) : undefined;
}

function end(key: unknown, hasFailed = false): void {
  const logged = find(key);
  if (!logged) return;
  logged.until ??= performance.now();
  if (hasFailed) logged.hasFailed = true;
}

/** OpenTelemetry's rule for who asked: https://opentelemetry.io/docs/specs/semconv/http/http-spans/#status */
const firstFailure = 400;

function noteStatus(key: unknown, status: unknown): void {
  const logged = find(key);
  if (!logged || typeof status !== 'number' || status < firstFailure) return;
  logged.hasFailed = true;
  logged.name += ` (${status})`;
}

function nameRequest(method: string, host: string, path: string): string {
  return `${method} ${host}${path.replace(/[?#].*$/s, '')}`;
}

/** `fetch`, and all else that goes through undici, which comes with Node. It ends with the last byte that the app has read. */
const ofFetch: Record<string, Listener> = {
  'undici:request:create': (message) => {
    const request = read(message, 'request');
    const origin = String(read(request, 'origin')).replace(/^https?:\/\/(?:[^/@]*@)?/i, '');
    begin(request, () => nameRequest(readText(request, 'method'), origin, readText(request, 'path')));
  },
  'undici:request:headers': (message) => {
    noteStatus(read(message, 'request'), read(read(message, 'response'), 'statusCode'));
  },
  'undici:request:trailers': (message) => end(read(message, 'request')),
  'undici:request:error': (message) => end(read(message, 'request'), true),
};

function readHost(request: unknown): string {
  const header = read(request, 'getHeader');
  const host: unknown = typeof header === 'function' ? Reflect.apply(header, request, ['host']) : undefined;
  return typeof host === 'string' ? host : readText(request, 'host');
}

/** `node:http` and `node:https`. */
const ofHttp: Record<string, Listener> = {
  'http.client.request.created': (message) => {
    const request = read(message, 'request');
    begin(request, () => nameRequest(readText(request, 'method'), readHost(request), readText(request, 'path')));
  },
  'http.client.response.finish': (message) => {
    const [request, response] = [read(message, 'request'), read(message, 'response')];
    noteStatus(request, read(response, 'statusCode'));
    const once = read(response, 'once');
    // Node calls it finished when its head has come.
    if (typeof once === 'function') Reflect.apply(once, response, ['close', () => end(request)]);
  },
  'http.client.request.error': (message) => end(read(message, 'request'), true),
};

/** Their own words, so that nothing else of a statement is kept. */
const statement =
  /^\s*(select|insert|update|delete|merge|replace|with|begin|start transaction|commit|rollback|call|create|alter|drop|truncate)\b/i;

function nameStatement(system: string, query: unknown): string {
  const text = typeof query === 'string' ? query : readText(query, 'sql');
  return `${system} ${statement.exec(text)?.[1]?.toUpperCase() ?? 'query'}`;
}

/** A command of Redis is one of the server's words; what follows it is not read. */
function nameCommand(message: unknown): string {
  const command = readText(message, 'command');
  return /^[a-z._]{1,30}$/i.test(command) ? `redis ${command.toUpperCase()}` : 'redis command';
}

const databases: Record<string, (message: unknown) => string> = {
  'mysql2:query': (message) => nameStatement('mysql', read(message, 'query')),
  'mysql2:execute': (message) => nameStatement('mysql', read(message, 'query')),
  'db0.query': (message) => nameStatement(readText(message, 'dialect') || 'sql', read(message, 'query')),
  'ioredis:command': nameCommand,
  'node-redis:command': nameCommand,
};

/** A tracing channel has one message object from start to end. */
function listenToDatabases(): Record<string, Listener> {
  return Object.fromEntries(
    Object.entries(databases).flatMap(([channel, name]): [string, Listener][] => [
      [`tracing:${channel}:start`, (message) => begin(message, () => name(message))],
      [`tracing:${channel}:asyncEnd`, (message) => end(message, isRecord(message) && message['error'] !== undefined)],
      [`tracing:${channel}:error`, (message) => end(message, true)],
    ]),
  );
}

/** Until the returned function is called, what is sent for a request is logged with it. */
export function watchRequests(): () => void {
  const listeners = Object.entries({ ...ofFetch, ...ofHttp, ...listenToDatabases() });
  for (const [channel, listener] of listeners) subscribe(channel, listener);
  return () => {
    for (const [channel, listener] of listeners) unsubscribe(channel, listener);
  };
}
