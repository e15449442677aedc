import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import { createLimitedServer, type Limits } from '#src/server/connections/limited-server.ts';
import { drain as drainServer, trackUnused } from '#src/server/connections/drain.ts';
import { createInFlightResponses, type InFlightResponses } from '#src/server/connections/in-flight-responses.ts';

import { checkHead, headerLimit } from './check-head.ts';
import { createForward, tooSlow } from './forward.ts';
import { createTapGuard } from './guard-tap.ts';
import type { Screen } from './screen.ts';
import { nameTrace } from './name-trace.ts';
import { readUpstreamAddress } from './read-upstream-address.ts';
import { createTunnels } from './tunnel.ts';
import { createUpstream } from './upstream.ts';
import { createPageScript, type PageScriptOptions } from './page-script/page-script.ts';
import type { Watch } from './watch.ts';

/**
 * The proxy: an HTTP server whose port serves one app and nothing of this project. docs/proxy.md says what it changes and what
 * it limits.
 */
export type ProxyOptions = {
  /** `http://…`, `https://…` or `unix:/path.sock`. */
  readonly to: string;
  /** Nothing is watched without it. */
  readonly watch?: Watch;
  /** Nothing is refused for its body without it. */
  readonly screen?: Screen;
  /** `keep`: the app sees the `Host` that the client sent. */
  readonly hostHeader?: 'keep' | 'upstream';
  /** PEM, to trust in place of Node's own when the upstream has TLS. */
  readonly certificates?: string;
  readonly limits?: Partial<Limits>;
  /** Pages get one script more. Without it not a byte changes. */
  readonly pageScript?: PageScriptOptions;
  /** A request that names no trace gets one. Without it not a byte changes. */
  readonly namesTraces?: boolean;
  /** True while the app is being started by whoever made this proxy. */
  readonly isStarting?: () => boolean;
};

export type Proxy = {
  readonly server: Server;
  /** Resolves with the port, which the system chooses where it is 0; rejects where it cannot listen. */
  readonly listen: (port: number, hostname: string) => Promise<number>;
  /** Takes no new connections, lets the responses in flight end, then cuts what is left. WebSockets end at once. */
  readonly drain: (deadlineMs: number) => Promise<void>;
  /** How often a watch or a tap has thrown. */
  readonly readTapFailures: () => number;
};

/** How long a client may take is a limit of our own; how long the app takes is not. */
const ownLimits: Limits = {
  headersTimeout: 5_000,
  // An upload takes as long as the app lets it. One that stops is cut by `stalledTimeout`.
  requestTimeout: 0,
  keepAliveTimeout: 5_000,
  stalledTimeout: 60_000,
  connectionsCheckingInterval: 1_000,
};

/** Four times that of Node, so that the app's own limit is the one that counts. Amazon's load balancers let as much through. */
const maxHeaderSize = 64 * 1024;
/** A peer that is gone without a word is noticed. */
const probeMs = 60_000;

/** Other protocols are not offered: after such a change nobody could see what the app serves. RFC 9110, 7.8: may be ignored. */
function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  );
}

/**
 * Nothing has moved on a client's connection for a while. That is the client's fault when it does not read, or does not send
 * the rest of a request that nobody has answered. Otherwise the app takes its time, which it may.
 */
function cutStalled(server: Server, inFlight: InFlightResponses, stalledTimeout: number): void {
  server.on('timeout', (socket: Socket) => {
    const outgoing = inFlight.find(socket);
    if (!outgoing || socket.writableLength > 0) return void socket.destroy();
    const incoming = outgoing.req;
    if (incoming.complete || outgoing.headersSent || incoming.isPaused()) return void socket.setTimeout(stalledTimeout);
    // As Node itself says that a request did not arrive in time.
    server.emit('clientError', Object.assign(new Error('the body stopped'), { code: tooSlow }), socket);
  });
}

/** @throws with one line for the operator when `to` is no address */
export function createProxy(options: ProxyOptions): Proxy {
  const {
    watch = () => undefined,
    screen = () => undefined,
    hostHeader = 'keep',
    isStarting = () => false,
    namesTraces = false,
    to,
    certificates,
  } = options;
  const limits = { ...ownLimits, ...options.limits };
  const upstream = createUpstream(readUpstreamAddress(to, certificates));
  const guard = createTapGuard(watch);
  const pageScript = options.pageScript && createPageScript(options.pageScript);
  const forward = createForward({ upstream, guard, hostHeader, screen, isStarting, pageScript });
  const tunnels = createTunnels(limits.stalledTimeout);
  const inFlight = createInFlightResponses();

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (pageScript?.owns(incoming.url ?? '')) return pageScript.answer(incoming, outgoing);
    if (namesTraces) nameTrace(incoming);
    forward(incoming, outgoing);
  }

  function upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!(socket instanceof Socket)) return void socket.destroy();
    tunnels.add(socket, head);
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = false;
    outgoing.assignSocket(socket);
    outgoing.on('finish', () => socket.destroySoon());
    forward(incoming, outgoing, (upstreamSocket, rest) => {
      outgoing.detachSocket(socket);
      tunnels.join(socket, upstreamSocket, rest);
    });
  }

  const server = createLimitedServer({
    checkHead,
    inFlight,
    limits,
    maxHeaderSize,
    headerLimit,
    answer,
    // The app says whether it wants the body.
    answerContinue: answer,
    answerExpectation: answer,
    refuseConnect: { code: 'malformed-request', detail: 'CONNECT' },
    options: {
      shouldUpgradeCallback: asksForWebSocket,
      keepAlive: true,
      keepAliveInitialDelay: probeMs,
      noDelay: true,
    },
    upgrade,
  });
  cutStalled(server, inFlight, limits.stalledTimeout);
  const unused = trackUnused(server);

  return {
    server,
    listen(port, hostname) {
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, hostname, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : port);
        });
      });
    },
    async drain(deadlineMs) {
      tunnels.close();
      await drainServer(server, { inFlight, unused }, deadlineMs);
      upstream.close();
    },
    readTapFailures: guard.readFailures,
  };
}
