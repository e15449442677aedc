import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';

import { canonicalize } from '#src/server/environment/address-range.ts';
import { isLoopbackName } from '#src/server/environment/reachability.ts';
import { findClient, parseProxies } from '#src/server/http/client-address.ts';
import type { Visitor } from '#src/server/http/visitor.ts';

/**
 * Who sent a request to the app: what the interface is told of them. It comes from the connection, and from headers of proxies that
 * were named. What the client itself wrote into such headers is not passed on (write-head.ts).
 */
export type VisitorRules = {
  /** Whether somebody at this machine needs no login. */
  readonly isOpenHere: boolean;
  /** Addresses or ranges whose `X-Forwarded-…` is believed. */
  readonly trustedProxies: readonly string[];
  /** Where people reach the app, when it is known. */
  readonly baseUrl: URL | undefined;
};

/** What a proxy in front adds, or a tunnel to the internet. */
const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && isLoopbackName(address.replace(/^::ffff:/, ''));
}

/** Says whether the app's own server listens on loopback. Node sets the property, and its types do not have it. */
function isServerOnLoopback(socket: Socket): boolean {
  const server: unknown = Reflect.get(socket, 'server');
  if (typeof server !== 'object' || server === null || !('address' in server)) return false;
  if (typeof server.address !== 'function') return false;
  const listening: unknown = server.address.call(server);
  if (typeof listening !== 'object' || listening === null || !('address' in listening)) return false;
  return typeof listening.address === 'string' && isLoopbackAddress(listening.address);
}

/** `localhost:3000`, `[::1]:3000` */
function isLoopbackHost(host: string): boolean {
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return isLoopbackName(name);
}

/**
 * All of it has to be so. The connection alone is no proof: a proxy on this machine connects from here, too. Nor is the name: any
 * page may be at a name that an attacker's DNS points here.
 */
function isAtThisMachine({ socket, headers }: IncomingMessage, host: string): boolean {
  return (
    isLoopbackAddress(socket.remoteAddress) &&
    isLoopbackHost(host) &&
    !proxyHeaders.some((name) => headers[name] !== undefined) &&
    isServerOnLoopback(socket)
  );
}

function readLast(header: string | string[] | undefined): string {
  return (
    String(header ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? ''
  );
}

/** A browser's form names its page's origin: it knows better than an app behind a proxy that nobody has named. */
function saysHttps({ origin }: IncomingHttpHeaders, host: string): boolean {
  return origin === `https://${host}`;
}

/** HTTP/2 has no `Host`. */
function readHost({ headers }: IncomingMessage): string {
  return headers.host ?? String(headers[':authority'] ?? '');
}

/** @throws with one line when an entry of `trustedProxies` is no address */
export function createVisitorReader(rules: VisitorRules): (incoming: IncomingMessage) => Visitor {
  const { baseUrl, isOpenHere } = rules;
  const proxies = parseProxies(rules.trustedProxies);

  function isHttps({ headers, socket }: IncomingMessage, peer: string, host: string): boolean {
    const isTrusted = peer !== '' && proxies.check(peer, isIP(peer) === 4 ? 'ipv4' : 'ipv6');
    const said = isTrusted ? readLast(headers['x-forwarded-proto']) : '';
    if (said !== '') return said === 'https';
    return Reflect.get(socket, 'encrypted') === true || saysHttps(headers, host);
  }

  return function readVisitor(incoming) {
    const { headers, socket } = incoming;
    const given = readHost(incoming);
    const peer = canonicalize(socket.remoteAddress ?? '') ?? '';
    const forwardedFor = headers['x-forwarded-for'];
    const address = findClient(peer, typeof forwardedFor === 'string' ? forwardedFor : '', proxies);
    const isLocal = isOpenHere && isAtThisMachine(incoming, given);
    // A proxy in front may write its own name into `Host`. Somebody at the machine comes by the machine's.
    if (baseUrl && !isLoopbackHost(given)) {
      return { address, host: baseUrl.host, protocol: baseUrl.protocol === 'https:' ? 'https' : 'http', isLocal };
    }
    return { address, host: given, protocol: isHttps(incoming, peer, given) ? 'https' : 'http', isLocal };
  };
}
