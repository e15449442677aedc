/**
 * How this server is reached, and by whom: read from the environment once, checked before anything listens. Whoever asks
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
  /** Addresses or CIDR ranges, unchecked: src/http/client-address.ts parses them. */
  readonly trustedProxies: readonly string[];
};

type Environment = Readonly<Record<string, string | undefined>>;

const loopbackPattern = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

function readPort(env: Environment): number {
  const text = env['PORT'] || '3000';
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`PORT is ${text}, which is not a port number`);
  return port;
}

function readBaseUrl(env: Environment): URL | undefined {
  const text = env['BASE_URL'];
  if (!text) return undefined;
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (!isOrigin) {
    throw new Error(`BASE_URL is ${text}; it must be an address without a path, like https://flight.example`);
  }
  const isSafe = url.protocol === 'https:' || loopbackPattern.test(url.hostname);
  if (!isSafe && env['FLIGHT_INSECURE'] !== '1') {
    throw new Error(
      `BASE_URL is ${text}, so passwords and cookies would cross the network unencrypted. ` +
        'Put a proxy with TLS in front and use https, or set FLIGHT_INSECURE=1 where the network is your own.',
    );
  }
  return url;
}

function readAuth(env: Environment): 'on' | 'off' {
  const text = env['FLIGHT_AUTH'] || 'on';
  if (text !== 'on' && text !== 'off') throw new Error(`FLIGHT_AUTH is ${text}; it must be "on" or "off"`);
  return text;
}

/** Other machines can reach it: directly, or through the proxy that answers at `BASE_URL`. */
export function isBeyondLoopback({ isLoopback, baseUrl }: Pick<ServerSettings, 'isLoopback' | 'baseUrl'>): boolean {
  return !isLoopback || (baseUrl !== undefined && !loopbackPattern.test(baseUrl.hostname));
}

/** @throws with one line for the operator, naming the variable that is wrong and what to do */
export function readServerSettings(env: Environment): ServerSettings {
  const hostname = env['HOST'] || '127.0.0.1';
  const isLoopback = loopbackPattern.test(hostname);
  const baseUrl = readBaseUrl(env);
  const auth = readAuth(env);
  if (!isLoopback && !baseUrl) {
    throw new Error(
      `HOST is ${hostname}, which other machines can reach. Set BASE_URL to the address that people use ` +
        '(https://…), or leave HOST at 127.0.0.1.',
    );
  }
  const trustedProxies = (env['TRUSTED_PROXIES'] ?? '').split(',').flatMap((entry) => entry.trim() || []);
  if (auth === 'off' && trustedProxies.length > 0) {
    // A proxy that writes its own upstream's name into `Host`, as nginx does unasked, would let everybody in.
    throw new Error('FLIGHT_AUTH is off and TRUSTED_PROXIES is set: through the proxy anybody could come. Unset one.');
  }
  if (auth === 'off' && isBeyondLoopback({ isLoopback, baseUrl })) {
    throw new Error('FLIGHT_AUTH is off, which works on 127.0.0.1 alone. Unset it, or unset HOST and BASE_URL.');
  }
  return { hostname, port: readPort(env), isLoopback, baseUrl, auth, trustedProxies };
}

let current: ServerSettings | undefined;

/** This process's settings. */
export function serverSettings(): ServerSettings {
  return (current ??= readServerSettings(process.env));
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

/** The origin for links that leave the process: the printed login link, the terminal. */
export function publicOrigin({ hostname, port, baseUrl }: ServerSettings): string {
  if (baseUrl) return baseUrl.origin;
  const name = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  return `http://${name}${port === 80 ? '' : `:${port}`}`;
}
