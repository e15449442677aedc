import { isDeepStrictEqual } from 'node:util';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeReply, type ReplyPart } from '../decode-reply.ts';
import { findBoundary, readMultipart } from '../multipart.ts';
import { describeFlight } from './describe-flight.ts';
import type { Description } from './describe-react.ts';
import { hasTag, isEqual } from './is-equal.ts';
import { replyPlans } from './plans.ts';
import { lineNames, loadLine } from './react-lines.ts';
import { type Body, describeReplyWithReact, encodeReply } from './replies.ts';
import { listRuns, runTimeout } from './runs.ts';

function readParts(body: Body): ReplyPart[] {
  if (body.kind === 'text') return [{ name: '0', value: body.text }];
  const boundary = findBoundary(body.bytes);
  if (boundary === undefined) throw new Error('a multipart body without a boundary');
  return readMultipart(body.bytes, boundary);
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
          const parts = readParts(body);
          const reply = decodeReply(parts);
          const ours = describeFlight(reply.flight, reply.files);
          const isExcused = hasLateForm(parts) ? isMistakenForm : isLostForm;
          if (!isEqual(ours, theirs, isExcused)) expect(ours).toEqual(theirs);
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

/**
 * React's server loses the fields of FormData that it needs later than they came (one within a stream), and there ours has
 * them.
 */
function isLostForm(ours: Description, theirs: Description) {
  return hasTag(ours, 'form') && hasTag(theirs, 'form') && isDeepStrictEqual(theirs['form'], []);
}

/**
 * React's client numbers the fields of FormData in decimal, and its server looks for the hex number of the reference: from
 * the tenth part on it finds none, or those of another.
 */
function isMistakenForm(ours: Description, theirs: Description) {
  return hasTag(ours, 'form') && hasTag(theirs, 'form');
}

function hasLateForm(parts: readonly ReplyPart[]) {
  return parts.some(({ name }) => /^_\d{2,}_/.test(name));
}
