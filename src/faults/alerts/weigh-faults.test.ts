import { expect, it } from 'vitest';

import type { Channel } from './channel.ts';
import { nothingSummed } from './message.ts';
import { hourMs, weigh, type Happening, type Sent } from './weigh-faults.ts';

const now = 100 * hourMs;
const rules = { new: true, back: true, volume: null, slow: null, apps: null, untrusted: false, inside: false };
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
const fault = { id: 'f', app: 'a', side: 'server', isOpen: true, count: 5, untrusted: 0 } as const;
const happening: Happening = {
  reason: 'regressed',
  fault,
  time: now,
  error: null,
  hour: undefined,
  heldBy: undefined,
  wasUntrusted: false,
};

function sent(parts: Partial<Sent> = {}): Sent {
  return { time: now - 1, seen: 1, held: null, volumeHour: 0, ...parts };
}

function room() {
  return { messages: 10, firsts: 20, apps: new Set<string>(), summed: nothingSummed };
}

it('holds the reason that says most', () => {
  expect(weigh(channel, happening, sent({ held: 'woke' }), room(), now)).toMatchObject({ sent: { held: 'regressed' } });
  const woke: Happening = { ...happening, reason: 'woke' };
  expect(weigh(channel, woke, sent({ held: 'regressed' }), room(), now)).toMatchObject({ sent: { held: 'regressed' } });
});

it('does not stay silent for longer than an hour when the clock was set back', () => {
  expect(weigh(channel, happening, sent({ time: now + 5 * hourMs }), room(), now).type).toBe('tell');
});

it('tells what was held to the channel that held it alone', () => {
  const before = sent({ time: now - hourMs });
  expect(weigh(channel, { ...happening, heldBy: 'c' }, before, room(), now)).toMatchObject({ type: 'tell', more: 4 });
  expect(weigh(channel, { ...happening, heldBy: 'd' }, before, room(), now).type).toBe('ignore');
});

it('sums up what there is no room for, but for the first of an app that had none', () => {
  const shared = { messages: 1, firsts: 3, apps: new Set<string>(), summed: nothingSummed };
  const tell = (app: string, id: string) =>
    weigh(channel, { ...happening, fault: { ...fault, id, app } }, undefined, shared, now).type;
  expect(['1', '2', '3'].map((id) => tell('flood', id))).toEqual(['tell', 'sum', 'sum']);
  expect([tell('shop', '4'), tell('shop', '5'), tell('blog', '6'), tell('docs', '7')]).toEqual([
    'tell',
    'sum',
    'tell',
    'sum',
  ]);
});
