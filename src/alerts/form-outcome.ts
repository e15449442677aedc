import 'server-only';

import { currentRequest, type RequestContext } from '#src/http/request-context.ts';

import type { ChannelProblem } from './parse-channel-form.ts';
import type { Sent } from './post-message.ts';

/**
 * What came of a form of the alerts' page, for the page that is its answer. It stays with the request: a channel's secret is
 * shown once, and must not stand in an address.
 */
export type FormOutcome =
  | { readonly type: 'added'; readonly name: string; readonly secret: string | undefined }
  | {
      readonly type: 'refused';
      readonly problem: ChannelProblem | 'too-many' | 'same' | 'no-mail';
      readonly typed: FormData;
    }
  | { readonly type: 'removed' }
  | { readonly type: 'gone' }
  /** Of a channel's test: what came of it. */
  | { readonly type: 'tested'; readonly channel: string; readonly sent: Sent }
  | { readonly type: 'sent-again'; readonly delivery: string; readonly sent: Sent | undefined };

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
