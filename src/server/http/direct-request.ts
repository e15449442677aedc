import type { IncomingMessage } from 'node:http';

import { canonicalize } from '#src/server/environment/address-range.ts';
import { isLoopbackName } from '#src/server/environment/reachability.ts';

import { visitorHeader } from './flight-headers.ts';
import type { ServerSettings } from './server-settings.ts';

/**
 * Whether a request comes from this very machine: what it may then ask without a key, nobody else may. The connection's address alone does
 * not say it: behind a proxy on the same machine everybody comes from 127.0.0.1. So each of these has to hold.
 *
 * - The connection is from a loopback address.
 * - No header says that somebody passed it on: neither those that a proxy sets nor that of an app's process (visitor.ts).
 * - It names this machine as its host. A browser that was led here by an attacker's name does not, and a proxy that keeps the name does
 *   not.
 * - No proxy is configured: neither `TRUSTED_PROXIES` nor a `BASE_URL` of another name. A proxy that says nothing and puts its own
 *   name into `Host`, as nginx does without being told, cannot be seen in any other way.
 */

/** Those that strip-headers.ts has removed are remembered here. */
const forwarded = new WeakSet<IncomingMessage>();

export function noteForwarded(incoming: IncomingMessage): void {
  forwarded.add(incoming);
}

/** Set by a proxy in front, or by an app's process that passes the request on. */
export function isForwarders(name: string): boolean {
  return name === 'forwarded' || name === 'x-real-ip' || name === visitorHeader || name.startsWith('x-forwarded-');
}

/** Proxies' and networks' own names, which nobody here believes and so nobody removes. */
const tellingHeaders = [
  'via',
  'cdn-loop',
  'cf-connecting-ip',
  'client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'forwarded-for',
  'true-client-ip',
  'x-amzn-trace-id',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-forwarded',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-url',
  'x-proxyuser-ip',
  'x-rewrite-url',
];

function isLoopback(address: string): boolean {
  const canonical = canonicalize(address) ?? '';
  return canonical === '::1' || /^127\.\d+\.\d+\.\d+$/.test(canonical);
}

function namesThisMachine(host: string): boolean {
  return isLoopbackName(host.replace(/:\d{1,5}$/, ''));
}

function hasProxy({ baseUrl, trustedProxies }: Pick<ServerSettings, 'baseUrl' | 'trustedProxies'>): boolean {
  return trustedProxies.length > 0 || (baseUrl !== undefined && !isLoopbackName(baseUrl.hostname));
}

export function isDirectRequest(
  incoming: IncomingMessage,
  settings: Pick<ServerSettings, 'baseUrl' | 'trustedProxies'>,
): boolean {
  const { headers, socket } = incoming;
  if (!isLoopback(socket.remoteAddress ?? '') || forwarded.has(incoming) || hasProxy(settings)) return false;
  if (tellingHeaders.some((name) => headers[name] !== undefined)) return false;
  // In development nobody has removed them.
  if (Object.keys(headers).some(isForwarders)) return false;
  return namesThisMachine(headers.host ?? '');
}
