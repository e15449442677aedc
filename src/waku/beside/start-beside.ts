import type { IncomingMessage, ServerResponse } from 'node:http';

import type { AppAnnouncement, AppBuild } from '#src/apps/app-announcement.ts';
import { nameProgram } from '#src/waku/beside/server-process.ts';
import { describeError } from '#boundary';
import { findIncoming } from '#src/server/http/find-incoming.ts';
import type { Visitor } from '#src/server/http/visitor.ts';
import { type Policy, readAllLeftMs, readAppPolicy } from '#src/apps/policy.ts';

import { type Found, writeBase } from './ask-for-app.ts';
import { answerAway, type Away } from './away-page.ts';
import { saysGone } from './ask-interface.ts';
import type { Announced, Beside } from './beside.ts';
import { forwardNode, refuseNode } from './forward-node.ts';
import { forwardRequest } from './forward-request.ts';
import { type Keeper, keepInterface } from './keep-interface.ts';
import { canListen, type OwnInterface, startOwnInterface } from './own-interface.ts';
import { readVariable } from '#src/server/environment/variables.ts';
import { readInstance } from '#src/store/instance-file.ts';
import { chooseDataFolder, prepareData } from '#src/store/prepare-data.ts';
import { type AppReach, findLocalUrl, type Mode, readAppReach } from './read-reach.ts';
import { createVisitorReader } from './read-visitor.ts';
import { refuseVisitor } from './refuse-visitor.ts';
import { say } from './say.ts';

/**
 * Flight Recorder's interface beside an app, started from inside the app's process: our own server, in a process of its own, to
 * which everything below the mount path is passed on. Decision 045 says why, and who may see what.
 */
export type BesideOptions = {
  /** The mounted copy of the interface: the folder with `serve-node.js`. */
  readonly folder: string;
  /** The data folder as the option says it. Undefined: `FLIGHT_DATA`, else `data`. */
  readonly data: string | undefined;
  /** The mount path, whole: `/_flight`, `/shop/_flight`. */
  readonly mount: string;
  /** The app's id. */
  readonly app: string;
  readonly mode: Mode;
  /** Where the app listens, when that is known: for the address that is printed. Undefined: `PORT`. */
  readonly port?: number | undefined;
  /** Whose source maps the interface keeps. Undefined in development. */
  readonly build?: AppBuild | undefined;
};

/** How the operator's commands are typed in an app's folder. */
const program = 'npx flight-recorder';

/** Below it are ports that somebody chose, such as the app's own. */
const firstFreePort = 32_768;

/** The one that the last interface on this folder was given, so that who knows its address can go on; else any. */
async function choosePort(folder: string): Promise<number> {
  const last = readInstance(folder)?.address.port ?? 0;
  return last >= firstFreePort && (await canListen(last)) ? last : 0;
}

function toEnvironment(baseUrl: URL | undefined): Readonly<Record<string, string | undefined>> {
  return {
    // Who needs no login is decided for each request (read-visitor.ts). Whoever else connects to its port needs one.
    FLIGHT_AUTH: 'on',
    BASE_URL: baseUrl?.origin,
    // How the app is reached is the app's business.
    FLIGHT_INSECURE: '1',
    // What is loaded into the app by it must not be in the interface.
    NODE_OPTIONS: undefined,
  };
}

/** @param baseUrl undefined: nobody knows yet by which port the app is reached, and the interface's own is not for people */
function introduce(own: OwnInterface, { mount, mode }: BesideOptions, data: string, baseUrl: URL | undefined): void {
  const at = baseUrl ? `at ${baseUrl.origin}${mount}` : `at ${mount} of the app`;
  if (mode === 'development') return say(`the interface is ${at}`);
  // Logs are kept, and read by others: a link that signs in is for a terminal.
  const link = baseUrl && process.stderr.isTTY ? own.loginUrl : undefined;
  const command = `${nameProgram(program, data)} login-link`;
  const wayIn = link === undefined ? `for a login link: ${command}` : `sign in with ${link} (once, within 15 minutes)`;
  say(`the interface is ${at}; ${wayIn}`);
}

function createKeeper(
  options: BesideOptions,
  data: string,
  reach: AppReach,
  onAnnounced: (announced: Announced) => void,
): Keeper {
  const { folder: dist, mount, app, build, port } = options;
  const baseUrl = reach.baseUrl ?? findLocalUrl(port);
  const env = toEnvironment(baseUrl);

  function tell({ place, mount: at, origin }: Found, announcement: AppAnnouncement): void {
    if (announcement.type === 'deleted') return say(`the app ${app} was deleted: nothing of it is recorded any more`);
    if (at !== mount) say(`the data folder ${data} has an interface already, at ${origin}`);
    onAnnounced(toAnnounced({ place, mount: at }, app, announcement));
  }

  return keepInterface({
    folder: data,
    app,
    build,
    say,
    async start() {
      return startOwnInterface({ dist, folder: data, port: await choosePort(data), program, env });
    },
    onStarted: (own) => introduce(own, options, data, baseUrl),
    onAnnounced: tell,
  });
}

type Known = Extract<AppAnnouncement, { type: 'known' }>;

function toAnnounced(found: Pick<Found, 'place' | 'mount'>, app: string, known: Known): Announced {
  return {
    recorder: { base: writeBase(found), app, key: known.secretKey },
    browsers: { publicKey: known.publicKey, project: known.number },
  };
}

function toStranger(request: Request): Visitor {
  const { host, protocol } = new URL(request.url);
  return { address: '', host, protocol: protocol === 'https:' ? 'https' : 'http', isLocal: false };
}

function toResponse({ method, headers: asked }: Request, away: Away): Response {
  const { status, headers, body } = answerAway(away, asked.get('accept'));
  return new Response(method === 'HEAD' ? null : body, { status, headers });
}

function toRefusal({ method }: Request): Response {
  const refusal = refuseVisitor(400);
  return new Response(method === 'HEAD' ? null : refusal.body, refusal);
}

function refuseOrBreak(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (outgoing.headersSent) outgoing.destroy();
  else refuseNode(incoming, outgoing, 400);
}

function sendAway({ method, headers: asked }: IncomingMessage, outgoing: ServerResponse, away: Away): void {
  // It broke off: what has been sent cannot be taken back.
  if (outgoing.headersSent) return void outgoing.destroy();
  const { status, headers, body } = answerAway(away, asked.accept);
  outgoing.writeHead(status, { ...headers }).end(method === 'HEAD' ? undefined : body);
}

function open(options: BesideOptions, data: string, reach: AppReach): Beside {
  const { app, mount } = options;
  const ready = Promise.withResolvers<Announced>();
  const keeper = createKeeper(options, data, reach, ready.resolve);
  const { baseUrl, trustedProxies, isLoginOff } = reach;
  const readVisitor = createVisitorReader({ baseUrl, trustedProxies, isOpenHere: isLoginOff });

  /** What the interface said last, and what of it is the app's own setting. */
  let heard: { readonly announcement: AppAnnouncement; readonly policy: Policy } | undefined;

  function findUpstream(): Found | Away {
    const standing = keeper.read();
    switch (standing.type) {
      case 'away':
        return 'starting';
      case 'off':
        return 'off';
      case 'up':
        return standing.found.mount === mount ? standing.found : 'elsewhere';
    }
  }

  async function forward(request: Request, env: unknown): Promise<Response> {
    const upstream = findUpstream();
    const incoming = findIncoming(env);
    try {
      if (typeof upstream === 'string') return toResponse(request, upstream);
      const visitor = incoming ? readVisitor(incoming) : toStranger(request);
      return await forwardRequest(request, incoming, visitor, upstream);
    } catch (error) {
      if (!saysGone(error)) return toRefusal(request);
      keeper.lookAgain();
      return toResponse(request, 'starting');
    }
  }

  async function passOn(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const upstream = findUpstream();
    try {
      if (typeof upstream === 'string') sendAway(incoming, outgoing, upstream);
      else await forwardNode(incoming, outgoing, readVisitor(incoming), upstream);
    } catch (error) {
      if (!saysGone(error)) return refuseOrBreak(incoming, outgoing);
      keeper.lookAgain();
      sendAway(incoming, outgoing, 'starting');
    }
  }

  /** Of each request it is asked twice, and to understand the setting's text takes a hundredth of the time of a page. */
  function hear(announcement: AppAnnouncement): Policy {
    if (heard?.announcement === announcement) return heard.policy;
    const isDeleted = announcement.type === 'deleted';
    const policy: Policy = isDeleted ? { mode: 'off' } : readAppPolicy(announcement.record, reach.unset);
    heard = { announcement, policy };
    return policy;
  }

  /** While the interface is away, what it said last. */
  function readPolicy(): Policy {
    const standing = keeper.read();
    const announcement = standing.type === 'up' ? standing.announcement : heard?.announcement;
    if (!announcement) return reach.unset;
    const policy = hear(announcement);
    const allUntil = announcement.type === 'deleted' ? 0 : announcement.allUntil;
    return readAllLeftMs(allUntil) > 0 ? { mode: 'all' } : policy;
  }

  return {
    data,
    ready: ready.promise,
    read() {
      const standing = keeper.read();
      if (standing.type !== 'up' || standing.announcement.type === 'deleted') return undefined;
      return toAnnounced(standing.found, app, standing.announcement);
    },
    readPolicy,
    unset: reach.unset,
    owns: (pathname) => pathname === mount || pathname.startsWith(`${mount}/`),
    forward,
    forwardNode: (incoming, outgoing) => void passOn(incoming, outgoing),
    stop: () => keeper.stop(),
  };
}

/** For a folder that cannot be used: the app goes on without. */
function openNothing(reach: AppReach, mount: string): Beside {
  return {
    data: undefined,
    ready: new Promise<never>(() => undefined),
    read: () => undefined,
    readPolicy: () => reach.unset,
    unset: reach.unset,
    owns: (pathname) => pathname === mount || pathname.startsWith(`${mount}/`),
    forward: async (request) => toResponse(request, 'off'),
    forwardNode: (incoming, outgoing) => sendAway(incoming, outgoing, 'off'),
    stop: async () => undefined,
  };
}

/**
 * Starts the interface, or joins the one that runs on the data folder. Resolves at once, before the interface answers, and never
 * rejects: what cannot be is one line in the app's output.
 */
export async function startBeside(options: BesideOptions): Promise<Beside> {
  const reach = readAppReach(options.mode, say);
  const data = chooseDataFolder(options.data ?? readVariable('FLIGHT_DATA'));
  try {
    prepareData(data);
  } catch (error) {
    say(`there is no interface: ${describeError(error)}`);
    return openNothing(reach, options.mount);
  }
  return open(options, data, reach);
}
