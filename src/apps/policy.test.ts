import { describe, expect, it } from 'vitest';

import { readFrom } from '#src/server/environment/read-setting.ts';

import { keepsSuccess, readAllLeftMs, readAppPolicy, readLimits, readPolicy } from './policy.ts';

const trace = 'ab'.repeat(16);

describe('readPolicy', () => {
  it.each([
    ['on this machine alone', {}, 'all'],
    ['behind an address of this machine', { BASE_URL: 'http://localhost:3000' }, 'all'],
    ['behind a public address', { BASE_URL: 'https://flight.example' }, 'errors'],
    ['on every interface', { HOST: '0.0.0.0', BASE_URL: 'https://flight.example' }, 'errors'],
  ])('records %s what nobody asked for: %o → %s', (_where, env, mode) => {
    expect(readPolicy(readFrom(env))).toEqual({ mode });
  });

  it.each([
    ['all', { mode: 'all' }],
    ['errors', { mode: 'errors' }],
    ['off', { mode: 'off' }],
    ['sample:0.25', { mode: 'sample', share: 0.25 }],
    ['sample:.5', { mode: 'sample', share: 0.5 }],
    ['sample:1', { mode: 'sample', share: 1 }],
    ['sample:0', { mode: 'sample', share: 0 }],
  ])('reads RECORD=%s', (text, policy) => {
    expect(readPolicy(readFrom({ RECORD: text }))).toEqual(policy);
  });

  it.each(['ALL', 'sample', 'sample:', 'sample:1.5', 'sample:-1', 'sample:1e9', 'none'])(
    'refuses RECORD=%s',
    (text) => {
      expect(() => readPolicy(readFrom({ RECORD: text }))).toThrow(/^RECORD is /);
    },
  );
});

describe('recording everything for a while', () => {
  const now = 1_900_000_000_000;

  it('goes before the app’s own setting and RECORD, and ends by itself', () => {
    const until = now + 600_000;
    expect(readAppPolicy('off', { mode: 'errors' }, until, now)).toEqual({ mode: 'all' });
    expect(readAppPolicy('off', { mode: 'errors' }, until, until)).toEqual({ mode: 'off' });
    expect(readAppPolicy(undefined, { mode: 'errors' }, 0, now)).toEqual({ mode: 'errors' });
    expect([now, until - 1, until].map((at) => readAllLeftMs(until, at))).toEqual([600_000, 1, 0]);
  });

  it('does not go on for longer when the clock was set back', () => {
    expect(readAllLeftMs(now + 600_000, now - 3_600_000)).toBe(0);
  });
});

describe('readLimits', () => {
  it('is 256 MiB and 7 days unless told otherwise', () => {
    expect(readLimits(readFrom({}))).toEqual({ bytes: 256 * 1024 * 1024, ageMs: 7 * 24 * 3600 * 1000 });
    expect(readLimits(readFrom({ RECORD_MIB: '1.5', RECORD_DAYS: '0.5' }))).toEqual({
      bytes: 1.5 * 1024 * 1024,
      ageMs: 12 * 3600 * 1000,
    });
  });

  it.each([{ RECORD_MIB: '0' }, { RECORD_DAYS: '-1' }, { RECORD_MIB: 'much' }])('refuses %o', (env) => {
    expect(() => readLimits(readFrom(env))).toThrow(/must be a number above 0/);
  });
});

describe('keepsSuccess', () => {
  it('samples by trace: all of a trace or nothing, and about the share of all traces', () => {
    const policy = { mode: 'sample', share: 0.25 } as const;
    const traces = Array.from({ length: 1000 }, (_, index) =>
      ((index * 4294967) % 2 ** 32).toString(16).padStart(8, '0'),
    );
    const kept = traces.filter((id) => keepsSuccess(policy, id.padStart(32, '0')));
    expect(kept.length).toBeGreaterThan(200);
    expect(kept.length).toBeLessThan(300);
    expect(keepsSuccess(policy, `${'f'.repeat(24)}${kept[0]}`)).toBe(true);
  });

  it('keeps everything, nothing, or failures alone', () => {
    expect(keepsSuccess({ mode: 'all' }, trace)).toBe(true);
    expect(keepsSuccess({ mode: 'errors' }, trace)).toBe(false);
    expect(keepsSuccess({ mode: 'sample', share: 1 }, 'f'.repeat(32))).toBe(true);
    expect(keepsSuccess({ mode: 'sample', share: 0 }, '0'.repeat(32))).toBe(false);
  });
});
