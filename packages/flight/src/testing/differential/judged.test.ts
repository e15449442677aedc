import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { judgeRequest } from '../../judge/judge-request.ts';
import { replyPlans } from './plans.ts';
import { comparedLines, loadLine } from './react-lines.ts';
import { encodeReply } from './replies.ts';
import { listRuns, runTimeout } from './runs.ts';

const encoder = new TextEncoder();

/** What React's own clients write is never called forged. */
describe.each(comparedLines)('requests of React %s', (name) => {
  const line = loadLine(name, 'production');
  test.each(listRuns(150))(
    'could have been written by a client, $title',
    async ({ seed, numRuns }) => {
      await fc.assert(
        fc.asyncProperty(replyPlans, async (plan) => {
          const body = await encodeReply(plan, line);
          const [bytes, contentType] =
            body.kind === 'text'
              ? [encoder.encode(body.text), 'text/plain;charset=UTF-8']
              : [body.bytes, body.contentType];
          expect(judgeRequest({ body: bytes, contentType, isCall: true, isWhole: true })).toEqual({ kind: 'possible' });
        }),
        { seed, numRuns },
      );
    },
    runTimeout,
  );
});
