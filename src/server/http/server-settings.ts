import { isLoopbackName } from '#src/server/environment/reachability.ts';
import { readFrom, readSetting, type ReadSetting, type Variables } from '#src/server/environment/read-setting.ts';

/**
 * How this server is reached, and by whom: from the environment, with the port that the system may have chosen. Whoever asks
 * which names are ours (the Host and Origin lists, links, cookies, the printed login link) asks here; a request's own
 * headers are never asked.
 */
export type ServerSettings = {
  readonly hostname: string;
  /** 0 until the system has given one, when it was asked to. */
  readonly port: number;
  /** Only processes of this machine can connect. */
  readonly isLoopback: boolean;
  /** Where people reach it, when that is not the address it listens on. An origin: no path. */
  readonly baseUrl: URL | undefined;
  readonly auth: 'on' | 'off';
  /** Addresses or CIDR ranges. */
  readonly trustedProxies: readonly string[];
};

/** @throws with one line for the operator, naming the variable that is wrong and what to do */
function toServerSettings(read: ReadSetting): ServerSettings {
  const hostname = read('HOST');
  return {
    hostname,
    port: read('PORT'),
    isLoopback: isLoopbackName(hostname),
    baseUrl: read('BASE_URL'),
    auth: read('FLIGHT_AUTH'),
    trustedProxies: read('TRUSTED_PROXIES'),
  };
}

/** For tests; the app has one environment. @internal */
export function readServerSettings(variables: Variables): ServerSettings {
  return toServerSettings(readFrom(variables));
}

let current: ServerSettings | undefined;

/** This process's settings. */
export function serverSettings(): ServerSettings {
  return (current ??= toServerSettings(readSetting));
}

const listeningCallbacks: (() => void)[] = [];

/** Runs `callback` when the server listens and its port is known. In dev nobody listens here, and it never runs. */
export function onListening(callback: () => void): void {
  listeningCallbacks.push(callback);
}

/** Called when the server listens: the system chose the port when PORT is 0. */
export function announcePort(port: number): void {
  current = { ...serverSettings(), port };
  for (const callback of listeningCallbacks) callback();
}

function loopbackHosts(port: number): string[] {
  const suffix = port === 80 ? '' : `:${port}`;
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}${suffix}`);
}

/**
 * The values of `Host` that are ours, exactly. Loopback names always are: a health check beside the server uses them,
 * and a name that an attacker's DNS points at 127.0.0.1 is none of them.
 */
export function allowedHosts({ hostname, port, baseUrl, isLoopback }: ServerSettings): ReadonlySet<string> {
  const hosts = new Set(loopbackHosts(port));
  if (isLoopback && !hosts.has(`${hostname}:${port}`)) hosts.add(port === 80 ? hostname : `${hostname}:${port}`);
  if (baseUrl) hosts.add(baseUrl.host);
  return hosts;
}

/** The values of `Origin` that are ours, exactly. */
export function allowedOrigins(settings: ServerSettings): ReadonlySet<string> {
  const origins = new Set([...allowedHosts({ ...settings, baseUrl: undefined })].map((host) => `http://${host}`));
  if (settings.baseUrl) origins.add(settings.baseUrl.origin);
  return origins;
}

/** As an address has it: a number of IPv6 stands in brackets. */
export function writeHost(hostname: string): string {
  return hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
}

/** What this server listens on, whatever people open to reach it. */
export function listeningAddress({ hostname, port }: ServerSettings): string {
  return `${writeHost(hostname)}:${port}`;
}

/** The origin for links that leave the process: the printed login link, the terminal. */
export function publicOrigin({ hostname, port, baseUrl }: ServerSettings): string {
  if (baseUrl) return baseUrl.origin;
  const name = writeHost(hostname);
  return `http://${name}${port === 80 ? '' : `:${port}`}`;
}

/** Where this machine reaches a server that listens on `hostname`, which may stand for all addresses of the machine. */
export function toConnectable(hostname: string): string {
  if (hostname === '0.0.0.0') return '127.0.0.1';
  return hostname === '::' || hostname === '[::]' ? '::1' : hostname.replace(/^\[|\]$/g, '');
}
