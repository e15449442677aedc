import 'server-only';

import { createFormOutcomes } from '#src/server/http/form-outcome.ts';

import type { ChannelProblem } from './parse-channel-form.ts';
import type { Sent } from './post-message.ts';

/** What came of a form of the alerts' page. A channel's secret is shown once. */
export type FormOutcome =
  | { readonly type: 'added'; readonly name: string; readonly secret: string | undefined }
  | {
      readonly type: 'refused';
      readonly problem: ChannelProblem | 'too-many' | 'same' | 'cannot-send';
      readonly typed: FormData;
    }
  | { readonly type: 'removed' }
  | { readonly type: 'gone' }
  /** Of a channel's test: what came of it. */
  | { readonly type: 'tested'; readonly channel: string; readonly sent: Sent }
  | { readonly type: 'sent-again'; readonly delivery: string; readonly sent: Sent | undefined };

export const { note: noteOutcome, current: currentOutcome } = createFormOutcomes<FormOutcome>();
