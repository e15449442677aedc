import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { readFrom } from '#src/server/environment/read-setting.ts';

import { findAppProgram, findOperatorProgram, operatorCommand, writeOperatorCommand } from './operator-command.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'operator-command-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

it.each([
  ['no package.json', undefined, 'node dist/command.js'],
  ['this app’s package.json', '{"bin":{"flight-recorder":"bin/flight-recorder.mjs"}}', 'npx .'],
  ['another package.json', '{"bin":{"other":"bin/other.mjs"}}', 'node dist/command.js'],
  ['a package.json without commands', '{}', 'node dist/command.js'],
  ['a broken package.json', '{"scripts":', 'node dist/command.js'],
])('in a folder with %s', (_, manifest, program) => {
  if (manifest !== undefined) writeFileSync(path.join(folder, 'package.json'), manifest);
  expect(findOperatorProgram(readFrom({}), folder)).toBe(program);
  expect(findOperatorProgram(readFrom({ FLIGHT_OPERATOR: ' ' }), folder)).toBe(program);
  expect(findOperatorProgram(readFrom({ FLIGHT_OPERATOR: 'flight-operator' }), folder)).toBe('flight-operator');
});

it('names a program that can be typed in the folder of an app', () => {
  const name = (program: string, at = folder) => findAppProgram(readFrom({ FLIGHT_OPERATOR: program }), at);
  expect(name('npx .', '/srv/clone')).toBe('npx /srv/clone');
  expect(name('npx .', '/srv/my clone')).toBe('npx "/srv/my clone"');
  expect(name('npx /srv/clone')).toBe('npx /srv/clone');
  expect(name('npx flight-recorder')).toBe('npx flight-recorder');
  expect(name('flight-recorder')).toBe('flight-recorder');
  expect(name('flight-operator')).toBe('npx flight-recorder');
});

it('is this checkout’s own command here', () => {
  expect(operatorCommand('login-link')).toBe('npx . login-link');
});

it('names the data folder that this process was given, but not to a program of the installation, which knows it', () => {
  const write = (settings: Record<string, string>) =>
    writeOperatorCommand(readFrom(settings), '/srv/clone', 'login-link');
  const npx = { FLIGHT_OPERATOR: 'npx .' };
  expect(write(npx)).toBe('npx . login-link');
  expect(write({ ...npx, FLIGHT_DATA: './data' })).toBe('npx . login-link');
  expect(write({ ...npx, FLIGHT_DATA: '/srv/shop/data' })).toBe('FLIGHT_DATA=/srv/shop/data npx . login-link');
  expect(write({ ...npx, FLIGHT_DATA: '../my data' })).toBe('FLIGHT_DATA="/srv/my data" npx . login-link');
  expect(write({ FLIGHT_OPERATOR: 'flight-operator', FLIGHT_DATA: '/var/lib/x' })).toBe('flight-operator login-link');
});
