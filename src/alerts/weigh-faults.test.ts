import { expect, it } from 'vitest';

import type { Channel } from './channel.ts';
import { nothingSummed } from './message.ts';
import { hourMs, weigh, type Happening, type Told } from './weigh-faults.ts';

const now = 100 * hourMs;
const rules = { new: true, back: true, volume: null, apps: null, claims: false, inside: false };
const channel: Channel = {
  id: 'c',
  name: 'C',
  kind: 'slack',
  target: '',
  secret: undefined,
  rules,
  created: 0,
  paused: undefined,
};
const fault = { id: 'f', app: 'a', side: 'server', isOpen: true, count: 5, claims: 0 } as const;
const happening: Happening = {
  reason: 'regressed',
  fault,
  time: now,
  occurrence: null,
  hour: undefined,
  heldBy: undefined,
  wasClaim: false,
};

function told(parts: Partial<Told> = {}): Told {
  return { time: now - 1, seen: 1, held: null, volumeHour: 0, ...parts };
}

function room() {
  return { messages: 10, summed: nothingSummed };
}

it('holds the reason that says most', () => {
  expect(weigh(channel, happening, told({ held: 'woke' }), room(), now)).toMatchObject({ told: { held: 'regressed' } });
  const woke: Happening = { ...happening, reason: 'woke' };
  expect(weigh(channel, woke, told({ held: 'regressed' }), room(), now)).toMatchObject({ told: { held: 'regressed' } });
});

it('does not stay silent for longer than an hour when the clock was set back', () => {
  expect(weigh(channel, happening, told({ time: now + 5 * hourMs }), room(), now).type).toBe('tell');
});

it('tells what was held to the channel that held it alone', () => {
  const before = told({ time: now - hourMs });
  expect(weigh(channel, { ...happening, heldBy: 'c' }, before, room(), now)).toMatchObject({ type: 'tell', more: 4 });
  expect(weigh(channel, { ...happening, heldBy: 'd' }, before, room(), now).type).toBe('ignore');
});
