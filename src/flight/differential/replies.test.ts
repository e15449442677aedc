import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeReply } from '../decode-reply.ts';
import { findBoundary, readMultipart } from '../multipart.ts';
import { describeFlight } from './describe-flight.ts';
import { replyPlans } from './plans.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { type Body, describeReplyWithReact, encodeReply } from './replies.ts';
import { listRuns, runTimeout } from './runs.ts';

function readReply(body: Body) {
  if (body.kind === 'text') return decodeReply(body.text);
  const boundary = findBoundary(body.bytes);
  if (boundary === undefined) throw new Error('a multipart body without a boundary');
  return decodeReply(readMultipart(body.bytes, boundary));
}

/** React's client sends it, React's server and this decoder read it, and both must have read the same. */
describe.each(lineNames)('replies of React %s', (name) => {
  const line = loadLine(name, 'production');
  test.each(listRuns(100))(
    'are read as its server reads them, $title',
    async ({ seed, numRuns }) => {
      await fc.assert(
        fc.asyncProperty(replyPlans, async (plan) => {
          const body = await encodeReply(plan, line);
          const theirs = await describeReplyWithReact(body, line);
          const reply = readReply(body);
          expect(describeFlight(reply.flight, reply.files)).toEqual(theirs);
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
