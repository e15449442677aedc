import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import { visitorHeader } from './flight-headers.ts';

/**
 * A visitor who comes through an app: the app's process passes the request on (src/waku/beside) and says in one header who
 * sent it. The header is believed for the secret in it alone. The secret is made anew when the server starts, and only who can
 * read the data folder knows it (store/instance-file.ts): another user of the machine may connect to this server's port, and is
 * then an ordinary stranger without any say.
 *
 *     x-flight-visitor: <secret> <http or https> <address> <local or remote>
 */
export type Visitor = VisitorFacts & {
  /** The value of `Host`: the name by which they came. */
  readonly host: string;
};

type VisitorFacts = {
  /** Empty where the app's process does not know it. */
  readonly address: string;
  /** By which people reach the app. */
  readonly protocol: 'http' | 'https';
  /** Somebody at this machine, to whom the app's process gives what the operator may, without a login. */
  readonly isLocal: boolean;
};

/** 192 bits. */
const secretBytes = 24;
const secret = randomBytes(secretBytes).toString('base64url');

/** What a process must know to speak for visitors, and to ask for an app's keys. */
export function visitorSecret(): string {
  return secret;
}

/** Compares in constant time. */
export function isVisitorSecret(given: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function formatVisitor({ address, protocol, isLocal }: VisitorFacts, door: string): string {
  return `${door} ${protocol} ${address || '-'} ${isLocal ? 'local' : 'remote'}`;
}

const form = /^(\S+) (https?) (\S+) (local|remote)$/;

function parse(header: string, host: string): Visitor | undefined {
  const [, given = '', protocol, address = '', place] = form.exec(header) ?? [];
  if (!isVisitorSecret(given)) return undefined;
  return {
    host,
    address: address === '-' ? '' : address,
    protocol: protocol === 'https' ? 'https' : 'http',
    isLocal: place === 'local',
  };
}

/** The header is removed before anybody else reads it (server/adapter/strip-headers.ts). */
const visitors = new WeakMap<IncomingMessage, Visitor>();

/** Reads the header, once for a request. */
export function meetVisitor(incoming: IncomingMessage): Visitor | undefined {
  const header = incoming.headers[visitorHeader];
  const visitor = typeof header === 'string' ? parse(header, incoming.headers.host ?? '') : undefined;
  if (visitor) visitors.set(incoming, visitor);
  return visitor;
}

/** After `meetVisitor`. */
export function findVisitor(incoming: IncomingMessage): Visitor | undefined {
  return visitors.get(incoming);
}
