import 'server-only';

import { isInsideHost } from '../inside-addresses.ts';
import type { ChannelKind, TargetProblem } from './channel-kind.ts';

/** Hooks of large services have some 200 characters. */
const longestUrl = 2_000;

function checkTarget(target: string, mayReachInside: boolean): TargetProblem | undefined {
  const url = URL.parse(target);
  if (!url || target.length > longestUrl || !/^https?:$/.test(url.protocol)) return 'url';
  // It would have to be shown, or hidden, apart from the rest; receivers take a token in the path or check the signature.
  if (url.username !== '' || url.password !== '') return 'url-with-password';
  // Nothing could ever be sent there. A name that leads inside shows only when it is looked up, at each message.
  return !mayReachInside && isInsideHost(url.hostname) ? 'inside' : undefined;
}

/** The path and the query of a hook are its password, so of those only the last four characters are shown. */
function describeTarget(target: string): string {
  const url = URL.parse(target);
  if (!url) return '';
  const rest = url.pathname + url.search;
  return `${url.protocol}//${url.host}${rest.length > 8 ? `/…${rest.slice(-4)}` : '/…'}`;
}

/** Of each kind whose target is an address of the web. */
export const hookTarget: Pick<ChannelKind, 'readLack' | 'checkTarget' | 'normaliseTarget' | 'describeTarget'> = {
  readLack: () => undefined,
  checkTarget,
  normaliseTarget: (target) => new URL(target).href,
  describeTarget,
};
