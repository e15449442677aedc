import 'server-only';

import { writeLog } from '#src/server/http/log.ts';
import { currentRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { openStore } from '#src/store/open-store.ts';

import { requireOperator } from './require-operator.ts';
import { makeToken, readTokens, revokeToken, type ApiToken, type MadeToken, type NewToken } from './tokens.ts';

/**
 * Tokens, for the operator's pages. What came of its form is kept with the request that sent it, and shown in its answer: an
 * address that held a token would be in histories and logs. So it works without JavaScript, too.
 */
const made = new WeakMap<RequestContext, MadeToken>();

export async function listTokens(): Promise<readonly ApiToken[]> {
  requireOperator();
  return readTokens(await openStore());
}

/** Lists the tokens that upload source maps of the app. */
export async function listUploadTokens(app: string): Promise<readonly ApiToken[]> {
  return (await listTokens()).filter(({ allows, apps }) => allows === 'upload' && apps?.includes(app));
}

/** @param asked `apps` must be there */
export async function addToken(asked: NewToken): Promise<void> {
  requireOperator();
  const request = currentRequest();
  if (!request) return;
  const result = await makeToken(await openStore(), asked);
  made.set(request, result);
  if (result.type === 'made') writeLog('info', 'api-token-made', { token: result.token.id, address: request.address });
}

/** What this request's form came to. */
export function currentMadeToken(): MadeToken | undefined {
  const request = currentRequest();
  return request && made.get(request);
}

export async function endToken(id: string): Promise<void> {
  requireOperator();
  const wasThere = await revokeToken(await openStore(), id);
  if (wasThere) writeLog('info', 'api-token-revoked', { token: id, address: currentRequest()?.address });
}
