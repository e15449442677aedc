import { deflateSync } from 'node:zlib';

import { expect, it } from 'vitest';

import { isPackedAgain, unpackStored } from './unpack-stored.ts';

const event = Buffer.from(`{"message":"${'m'.repeat(3_000)}"}`);
const packed = Buffer.from(deflateSync(event).toString('base64'));

it('unpacks what an old client packed, up to a limit, and knows it before', async () => {
  expect(Buffer.from(await unpackStored(packed, 10_000)).equals(event)).toBe(true);
  expect(await unpackStored(event, 10_000)).toBe(event);
  // Nobody can read it as JSON then.
  expect((await unpackStored(packed, 1_000)).length).toBeLessThan(event.length);
  expect([packed, deflateSync(event), event, Buffer.alloc(0)].map(isPackedAgain)).toEqual([true, true, false, false]);
});
