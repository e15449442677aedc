import { connect as connectPlain, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where the app is, from what the operator wrote. */
export type UpstreamAddress = {
  /** As the log names it. */
  readonly name: string;
  /** The value of `Host` where the client's own is not kept, or it sent none. */
  readonly authority: string;
  /** The event with which a connection is there, TLS included. */
  readonly readyEvent: 'connect' | 'secureConnect';
  /** @param onread into which memory is read, and who gets it; without it, the socket is an ordinary stream */
  readonly connect: (onread?: OnReadOpts) => Socket;
};

const forms = 'an address like http://127.0.0.1:3000, https://app.example or unix:/run/app.sock';

/**
 * @param certificates PEM, to trust besides those that Node trusts
 * @throws with one line for the operator
 */
export function readUpstreamAddress(to: string, certificates?: string): UpstreamAddress {
  if (to.startsWith('unix:')) {
    const path = to.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    if (!path.startsWith('/')) throw new Error(`${to} has no absolute path; give ${forms}`);
    const connect = (onread?: OnReadOpts) => connectPlain({ path, allowHalfOpen: true, onread });
    return { name: to, authority: 'localhost', readyEvent: 'connect', connect };
  }
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new Error(`${to} is not ${forms}`);
  // A path would have to be put before each target, a name and password into each request.
  if (url.href !== `${url.origin}/`) throw new Error(`${to} is more than a host and a port; give ${forms}`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const port = Number(url.port) || (isTls ? 443 : 80);
  const common = { host, port, allowHalfOpen: true };
  const names = { name: url.origin, authority: url.host };
  if (!isTls) return { ...names, readyEvent: 'connect', connect: (onread) => connectPlain({ ...common, onread }) };
  const tls = {
    ...common,
    // An address is no server name in TLS.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(certificates === undefined ? {} : { ca: certificates }),
    ALPNProtocols: ['http/1.1'],
  };
  return { ...names, readyEvent: 'secureConnect', connect: (onread) => connectTls(Object.assign({ onread }, tls)) };
}
