import 'server-only';

import { createFormOutcomes } from '#src/server/http/form-outcome.ts';

import type { AddKeysResult } from './own-keys.ts';

/** What came of a form of the page about scrubbing. What somebody tries there may be a secret. */
export type FormOutcome =
  | { readonly type: 'keys-added'; readonly result: AddKeysResult; readonly typed: string }
  | { readonly type: 'key-removed'; readonly name: string; readonly wasThere: boolean }
  | { readonly type: 'started'; readonly wasRunning: boolean }
  | { readonly type: 'tried'; readonly text: string; readonly ofBrowser: string; readonly ofServer: string };

export const { note: noteOutcome, current: currentOutcome } = createFormOutcomes<FormOutcome>();
