import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeFlight } from '../../decode-flight.ts';
import { decodeReply } from '../../decode-reply.ts';
import { describeFlight } from './describe-flight.ts';
import { expectSame } from './expect-same.ts';
import { replyPlans, responsePlans } from './plans.ts';
import { comparedLines, loadLine } from './react-lines.ts';
import {
  describeReplyWithReact,
  encodeReply,
  excuseForms,
  readForm,
  readParts,
  writeForm,
  type Body,
} from './replies.ts';
import { respellPart, respellPayload } from './respell.ts';
import { describeWithReact, encodeResponse, excuseOf, noAnswer } from './responses.ts';
import { listRuns, runTimeout } from './runs.ts';

const someSeed = fc.integer();

async function respellBody(body: Body, seed: number): Promise<Body> {
  const form = await readForm(body);
  if (typeof form === 'string') return { kind: 'text', text: respellPart(form, seed) };
  const respelled = new FormData();
  for (const [name, value] of form) {
    const isJson = typeof value === 'string' && /^\d+$/.test(name);
    respelled.append(name, isJson ? respellPart(value, seed) : value);
  }
  return writeForm(respelled);
}

describe.each(comparedLines)('what React %s writes, spelled otherwise', (name) => {
  const line = loadLine(name, 'production');

  test.each(listRuns(100))(
    'is read as its client reads it, $title',
    async ({ seed, numRuns }) => {
      await fc.assert(
        fc.asyncProperty(responsePlans, someSeed, async (plan, spelling) => {
          const written = await encodeResponse(plan, line);
          if (!written) return;
          const bytes = respellPayload(written, spelling);
          const theirs = await describeWithReact(bytes, line);
          if (theirs === noAnswer) return;
          const flight = decodeFlight(bytes);
          const ours = describeFlight(flight);
          expectSame(ours, theirs, { isExcused: excuseOf(name), sent: bytes });
          expect(flight.state).toEqual({ kind: 'complete' });
        }),
        { seed, numRuns },
      );
    },
    runTimeout,
  );

  test.each(listRuns(60))(
    'is read as its server reads it, $title',
    async ({ seed, numRuns }) => {
      await fc.assert(
        fc.asyncProperty(replyPlans, someSeed, async (plan, spelling) => {
          const body = await respellBody(await encodeReply(plan, line), spelling);
          const theirs = await describeReplyWithReact(body, line);
          const parts = readParts(body);
          const reply = decodeReply(parts);
          const ours = describeFlight(reply.flight, reply.files);
          expectSame(ours, theirs, { isExcused: excuseForms(parts), sent: parts });
        }),
        { seed, numRuns },
      );
    },
    runTimeout,
  );
});
