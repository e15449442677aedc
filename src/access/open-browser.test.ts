import { expect, it } from 'vitest';

import { readFrom } from '#src/server/environment/read-setting.ts';

import { findOpener } from './open-browser.ts';

it.each([
  ['linux', { DISPLAY: ':0' }, 'xdg-open'],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
  ['linux', {}, undefined],
  ['linux', { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22' }, undefined],
  ['linux', { DISPLAY: ':0', FLIGHT_OPEN: '0' }, undefined],
  ['darwin', {}, 'open'],
  ['darwin', { FLIGHT_OPEN: '0' }, undefined],
  ['win32', {}, 'cmd'],
] as const)('on %s with %j it is %s', (platform, env, command) => {
  expect(findOpener(platform, readFrom(env))?.command).toBe(command);
});
