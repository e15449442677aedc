import 'server-only';

import { isReachableByOthers } from '#src/server/environment/reachability.ts';
import { writeLog } from '#src/server/http/log.ts';
import { currentRequest, type RequestContext } from '#src/server/http/request-context.ts';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { openStore } from '#src/store/open-store.ts';

import { createLoginLink, toLoginUrl } from './login-links.ts';
import { requireOperator } from './require-operator.ts';

/**
 * A login link for another device of somebody who is signed in. It is kept with the request that made it, and shown in its answer:
 * an address that held it would be in histories and logs.
 */
const lifetimeMs = 10 * 60_000;

const made = new WeakMap<RequestContext, string>();

/** Only where another device can reach this server, and where links are of use. */
export function canLinkDevices(): boolean {
  const { hostname, baseUrl, auth } = serverSettings();
  return auth === 'on' && isReachableByOthers({ hostname, baseUrl });
}

/** Makes a link for another device, and none where no other device could open it. */
export async function makeDeviceLink(): Promise<void> {
  requireOperator();
  const request = currentRequest();
  if (!request || !canLinkDevices()) return;
  const secret = await createLoginLink(await openStore(), undefined, lifetimeMs);
  made.set(request, toLoginUrl(publicOrigin(serverSettings()), secret));
  writeLog('info', 'login-link-made', { address: request.address });
}

/** The link that this request made. */
export function currentDeviceLink(): string | undefined {
  const request = currentRequest();
  return request && made.get(request);
}
