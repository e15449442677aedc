import 'server-only';

import { currentRequest, type RequestContext } from '#src/http/request-context.ts';

import type { AddKeysResult } from './own-keys.ts';

/**
 * What came of a form of the page about scrubbing, for the page that is its answer. It stays with the request: what somebody tries may be
 * a secret, and must not stand in an address.
 */
export type FormOutcome =
  | { readonly type: 'keys-added'; readonly result: AddKeysResult; readonly typed: string }
  | { readonly type: 'key-removed'; readonly name: string; readonly wasThere: boolean }
  | { readonly type: 'started'; readonly wasRunning: boolean }
  | { readonly type: 'tried'; readonly text: string; readonly ofBrowser: string; readonly ofServer: string };

const outcomes = new WeakMap<RequestContext, FormOutcome>();

export function noteOutcome(outcome: FormOutcome): void {
  const request = currentRequest();
  if (!request) throw new Error('A form was answered outside a request');
  outcomes.set(request, outcome);
}

export function currentOutcome(): FormOutcome | undefined {
  const request = currentRequest();
  return request && outcomes.get(request);
}
