import { readVariable } from '#src/server/environment/variables.ts';
import { isLoopbackName } from '#src/server/environment/reachability.ts';
import { readFrom } from '#src/server/environment/read-setting.ts';
import { toPlainJson } from '#boundary';
import { parseProxies } from '#src/server/http/client-address.ts';
import { readPolicy, type Policy } from '#src/apps/policy.ts';

/**
 * How the app is reached, as far as that is known. `HOST`, `BASE_URL` and `TRUSTED_PROXIES` may be the app's own, and mean what it
 * likes: for the interface beside it they are called `FLIGHT_…`. What is wrong with them is said once and passed over: the app
 * starts.
 */
export type AppReach = {
  /** The address that people use. */
  readonly baseUrl: URL | undefined;
  readonly trustedProxies: readonly string[];
  /** What is recorded where the operator has not said it for this app. */
  readonly unset: Policy;
  readonly isLoginOff: boolean;
};

type Say = (line: string) => void;

export type Mode = 'development' | 'production';

function readBaseUrl(say: Say): URL | undefined {
  const text = readVariable('FLIGHT_BASE_URL');
  if (text === undefined || text === '') return undefined;
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href) return url;
  say(
    `FLIGHT_BASE_URL is ${toPlainJson(text.slice(0, 100))}; it must be an address without a path, like https://app.example`,
  );
  return undefined;
}

/** What is wrong with it is said at the start, by `readAppReach`. */
export function readPublicOrigin(): string | undefined {
  return readBaseUrl(() => undefined)?.origin;
}

/** Reads the proxies whose word on an address is believed. */
export function readProxies(say: Say): readonly string[] {
  const entries = (readVariable('FLIGHT_TRUSTED_PROXIES') ?? '').split(',').flatMap((entry) => entry.trim() || []);
  try {
    parseProxies(entries);
    return entries;
  } catch {
    say('FLIGHT_TRUSTED_PROXIES holds something that is neither an address nor a range like 10.0.0.0/8');
    return [];
  }
}

/** An app is there for others, unless it listens on this machine alone. In development nobody but its developer visits it. */
function readUnset(mode: Mode, baseUrl: URL | undefined, say: Say): Policy {
  const isForOthers = mode === 'production' && (!isLoopbackName(readVariable('HOST') ?? '') || baseUrl !== undefined);
  const reach = { hostname: isForOthers ? '0.0.0.0' : '127.0.0.1', baseUrl: undefined };
  try {
    return readPolicy(readFrom({ RECORD: readVariable('RECORD') }), reach);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return readPolicy(readFrom({}), reach);
  }
}

export function readAppReach(mode: Mode, say: Say): AppReach {
  const baseUrl = readBaseUrl(say);
  return {
    baseUrl,
    trustedProxies: readProxies(say),
    unset: readUnset(mode, baseUrl, say),
    isLoginOff: mode === 'development' || readVariable('FLIGHT_AUTH') === 'off',
  };
}

/** Where people at this machine open the app, by the port that `waku start` says to what it starts. */
export function findLocalUrl(port: number | undefined): URL | undefined {
  const text = port === undefined ? readVariable('PORT') : String(port);
  return text !== undefined && /^\d{1,5}$/.test(text)
    ? (URL.parse(`http://localhost:${text}`) ?? undefined)
    : undefined;
}
