import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeReply } from '../../decode-reply.ts';
import { describeFlight } from './describe-flight.ts';
import { expectSame } from './expect-same.ts';
import { replyPlans } from './plans.ts';
import { comparedLines, loadLine } from './react-lines.ts';
import { describeReplyWithReact, encodeReply, excuseForms, readParts } from './replies.ts';
import { listRuns, runTimeout } from './runs.ts';

/** React's client sends it, React's server and this decoder read it, and both must have read the same. */
describe.each(comparedLines)('replies of React %s', (name) => {
  const line = loadLine(name, 'production');
  test.each(listRuns(100))(
    'are read as its server reads them, $title',
    async ({ seed, numRuns }) => {
      await fc.assert(
        fc.asyncProperty(replyPlans, async (plan) => {
          const body = await encodeReply(plan, line);
          const theirs = await describeReplyWithReact(body, line);
          const parts = readParts(body);
          const reply = decodeReply(parts);
          const ours = describeFlight(reply.flight, reply.files);
          expectSame(ours, theirs, { isExcused: excuseForms(parts), sent: parts });
          expect(reply.flight.state).toEqual({ kind: 'complete' });
          expect(reply.action).toEqual({ kind: 'call' });
          expect(reply.fields).toEqual([]);
        }),
        { seed, numRuns },
      );
    },
    runTimeout,
  );
});
