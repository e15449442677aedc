import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import packageJson from '../../package.json' with { type: 'json' };

import { runCommandLine } from './command-line.ts';
import { commands } from './commands.ts';

let output: string;
let errors: string;

beforeEach(() => {
  output = '';
  errors = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((output += String(text))));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((errors += String(text))));
});

afterEach(() => {
  vi.restoreAllMocks();
});

function call(...argv: readonly string[]): Promise<number> {
  return runCommandLine(argv, 'flight-recorder');
}

it('prints its version', async () => {
  expect([await call('--version'), output, errors]).toEqual([0, `${packageJson.version}\n`, '']);
});

it.each([['--help'], ['-h'], ['help'], ['help', 'nonsense']])('lists every command for %s', async (...argv) => {
  expect([await call(...argv), errors]).toEqual([0, '']);
  const listed = Array.from(output.matchAll(/^ {2}([\w-]+|\(none\)) {2,}(.+)$/gm), ([, name, what]) => [name, what]);
  expect(listed).toEqual([...commands].map(([name, { summary }]) => [name || '(none)', summary]));
});

it.each([
  ['run', '--help'],
  ['run', '-h', '--', 'next'],
  ['help', 'run'],
])('explains one command for %s %s', async (...argv) => {
  expect([await call(...argv), errors]).toEqual([0, '']);
  expect(output).toMatch(/^Usage: flight-recorder run \[options\] -- <command of your app>\n/);
  expect(output).toContain(
    '\n  --port <number>              where the app is reached, with the recorder in front of it (default: 3000)\n',
  );
  expect(output).toContain('\n  flight-recorder run -- next start ');
  expect(output).toMatch(/\nExit status:\n {2}n +that of the app/);
});

it('lets flight explain itself', async () => {
  expect([await call('flight', '--help'), errors]).toEqual([0, '']);
  expect(output).toMatch(
    /^Usage: flight-recorder flight \[options\] <file \| url \| ->\n\nSays what is in a React Flight payload/,
  );
});

it.each([...commands].filter(([, { hasOwnHelp }]) => !hasOwnHelp).map(([name]) => [name]))(
  'every line of the help of "%s" fits into a wide terminal',
  async (name) => {
    await call(...(name === '' ? [] : [name]), '--help');
    expect(output.split('\n').filter((line) => line.length > 120)).toEqual([]);
  },
);

it.each([
  [['nonsense'], 'there is no command "nonsense". Try "flight-recorder --help".'],
  [['constructor'], 'there is no command "constructor". Try "flight-recorder --help".'],
  [['\u001b[2J'], String.raw`there is no command "\u001b[2J". Try "flight-recorder --help".`],
  [['--port', '80'], 'there is no option "--port". Try "flight-recorder --help".'],
  [['run'], 'the command of your app is missing: write it after --. Try "flight-recorder run --help".'],
  [['run', '--'], 'the command of your app is missing: write it after --. Try "flight-recorder run --help".'],
  [['run', 'next', 'start'], '"next" is not an option. Try "flight-recorder run --help".'],
  [['run', '--prt', '80', '--', 'x'], 'there is no option "--prt". Try "flight-recorder run --help".'],
  [['run', '-p', '80', '--', 'x'], 'there is no option "-p". Try "flight-recorder run --help".'],
  [['run', '--port', '--', 'x'], '--port needs a value: --port <number>. Try "flight-recorder run --help".'],
  [['run', '--port=', '--', 'x'], '--port needs a value: --port <number>. Try "flight-recorder run --help".'],
  [
    ['run', '--port', '0', '--', 'x'],
    '--port is "0"; it must be a port, 1 to 65535. Try "flight-recorder run --help".',
  ],
  [
    ['run', '--port=65536', '--', 'x'],
    '--port is "65536"; it must be a port, 1 to 65535. Try "flight-recorder run --help".',
  ],
  [['run', '--port', '4000', '--', 'x'], '--port and --ui-port are the same. Try "flight-recorder run --help".'],
  [
    ['run', '--app', 'My App', '--', 'x'],
    '--app is "My App"; use up to 40 lower-case letters, digits and single hyphens. Try "flight-recorder run --help".',
  ],
  [['proxy'], '--to is missing: where the app listens. Try "flight-recorder proxy --help".'],
  [
    ['proxy', '--to', 'http://x', '--', 'x'],
    'it starts no app: there is nothing after --. Try "flight-recorder proxy --help".',
  ],
  [
    ['proxy', '--to', 'http://x', '--host-header', 'drop'],
    '--host-header is keep or upstream. Try "flight-recorder proxy --help".',
  ],
])('%j is one line and status 2', async (argv, line) => {
  expect([await call(...argv), output, errors]).toEqual([2, '', `flight-recorder: ${line}\n`]);
});
