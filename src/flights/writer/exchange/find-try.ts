import type { Breach } from '#flight';
import { canonicalize } from '#src/server/environment/address-range.ts';
import { shortenAddress } from '#src/server/http/to-network.ts';

import type { ForgedTry } from '../../flight/forged-try.ts';
import type { Exchange, ExchangeFacts } from '../../watch/exchange.ts';
import { judgeCall, mayCall } from '../../watch/judge-call.ts';
import { redactArguments } from '../redact-arguments.ts';
import { takeArguments } from './take-arguments.ts';

/** A body is looked at by a person, who needs its shape. */
const bodyKept = 4_000;
const pathKept = 300;
/** Next.js calls its actions so: a digest, with a byte before it since version 15. Those of others are names. */
const nextActionId = /^[0-9a-f]{40}(?:[0-9a-f]{2})?$/;

const utf8 = new TextDecoder();

/** Whoever is nearest of those that the request names and that are not this network's own proxies. */
function findNetwork({ peer, requestHeaders }: ExchangeFacts): string {
  const named = (requestHeaders['x-forwarded-for'] ?? '').split(',').at(-1)?.trim() ?? '';
  return shortenAddress(canonicalize(named) ?? peer);
}

/** Without a length, only the end of what came says whether it is all. */
function isWhole({ facts, args }: Exchange): boolean {
  const length = facts.requestHeaders['content-length'];
  if (args.length < facts.requestBytes) return false;
  if (length !== undefined) return Number(length) === args.length;
  return facts.outcome === 'complete' && /(?:--(?:\r\n)?|[\]}"])$/.test(utf8.decode(args.subarray(-4)));
}

/** As it was spelled, where nothing had to be taken out: what takes out the secret of JSON writes it anew. */
function showBody(args: Uint8Array, type: string): string {
  const sent = utf8.decode(args);
  const kept = utf8.decode(redactArguments(args.slice(), type));
  try {
    const read: unknown = JSON.parse(sent);
    return JSON.stringify(read) === kept ? sent : kept;
  } catch {
    return kept;
  }
}

function describe(exchange: Exchange, breach: Pick<Breach, 'detail' | 'part' | 'advisory'>) {
  const { facts, args } = exchange;
  const type = facts.requestHeaders['content-type'] ?? 'text/plain';
  const where = breach.part === '' ? '' : ` (part ${breach.part})`;
  return {
    app: facts.app,
    advisory: breach.advisory ?? ('' as const),
    network: findNetwork(facts),
    status: facts.status,
    at: facts.startedAt,
    path: facts.look.path.slice(0, pathKept),
    action: facts.look.actionId ?? takeArguments(facts, args)?.actionId ?? '',
    detail: `${breach.detail}${where}`,
    body: showBody(args, type).slice(0, bodyKept),
  };
}

/** What is wrong with a request, if anything: one of what is wrong, and rather one that has a name. */
export function findTry(exchange: Exchange): ForgedTry | undefined {
  const { facts, args } = exchange;
  const { look, requestHeaders: headers, method } = facts;
  if (facts.outcome === 'begun' || !mayCall(method, look, headers)) return undefined;
  const judged = judgeCall({ look, headers, body: args, isWhole: isWhole(exchange) });
  if (!judged) return undefined;
  if (judged.kind === 'forged') {
    const breach = judged.breaches.find(({ advisory }) => advisory !== undefined) ?? judged.breaches[0];
    return breach && { ...describe(exchange, breach), rule: breach.rule };
  }
  if (look.framework !== 'next' || look.actionId === null || nextActionId.test(look.actionId)) return undefined;
  const detail = 'no build of Next.js gives an action such an id';
  return { ...describe(exchange, { detail, part: '', advisory: undefined }), rule: 'unknown-action' };
}

/** A call of an action that the app does not have, from nowhere in the app. */
export function describeStranger(exchange: Exchange): ForgedTry {
  const detail = 'no recorded build had such an action, and no page of the app asked';
  return { ...describe(exchange, { detail, part: '', advisory: undefined }), rule: 'unknown-action' };
}
