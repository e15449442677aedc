import { answerApi } from '#src/api/answer-api.ts';
import type { ApiAnswer } from '#src/api/answer.ts';
import { readApiPath } from '#src/server/http/addresses.ts';
import { createContext } from '#src/server/http/create-request-context.ts';
import { errorCodes } from '#src/server/http/error-codes.ts';
import { replaceLog } from '#src/server/http/log.ts';
import { runInRequest } from '#src/server/http/request-context.ts';
import { publicOrigin, serverSettings } from '#src/server/http/server-settings.ts';
import { closeFlightsReader } from '#src/flights/recorder/flights-reader.ts';
import { endMapThread } from '#src/faults/source-maps/ask-maps.ts';
import { readInstance } from '#src/store/instance-file.ts';
import { openStore } from '#src/store/open-store.ts';

import { complain } from '../usage.ts';
import type { ApiReply, ApiSource } from './api-source.ts';

/** Whoever may read the folder may read all of it, and these commands change nothing. */
const access = { kind: 'reader', apps: undefined } as const;

/** Where the server that is, or was, on the folder was reached; else where one with these settings would be. */
function readOrigin(folder: string): string {
  const instance = readInstance(folder);
  if (instance) return instance.origin;
  try {
    return publicOrigin(serverSettings());
  } catch {
    // A setting of the server that cannot be read is no reason to say nothing of an error: pages are then paths.
    return '';
  }
}

function toReply(answer: ApiAnswer): ApiReply {
  switch (answer.type) {
    case 'json':
      return { status: 200, body: answer.body };
    case 'document': {
      const body: unknown = JSON.parse(answer.json);
      return { status: 200, body };
    }
    case 'bytes':
      return { status: 200, body: new TextDecoder().decode(answer.bytes) };
    case 'refused': {
      const { status, message } = errorCodes[answer.code];
      return { status, body: { error: { code: answer.code, message }, ...answer.more } };
    }
  }
}

/** Standard output is the command's own. What only tells that all is well is left out. */
function logToErrors(): () => void {
  return replaceLog((level, event, fields) => {
    if (level !== 'info') complain(`${event}: ${JSON.stringify(fields)}`);
  });
}

/** The data of `folder`, which is `FLIGHT_DATA` by now, or of the database that `DATABASE_URL` names. */
export async function openLocal(folder: string): Promise<ApiSource> {
  const giveBack = logToErrors();
  const store = await openStore();
  const origin = readOrigin(folder);
  const { signal } = new AbortController();
  return {
    async ask(target) {
      const [below = '', search = ''] = target.split('?', 2);
      const pathname = `${readApiPath}/${below}`;
      const arrived = { method: 'GET', path: pathname, headers: new Headers(), address: '', signal };
      const context = createContext(arrived, false);
      context.operator = access;
      const asked = { pathname, search, access, origin };
      return toReply(await runInRequest(context, () => answerApi(asked)));
    },
    async close() {
      endMapThread();
      await closeFlightsReader();
      await store.close();
      giveBack();
    },
  };
}
