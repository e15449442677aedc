import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { replaceLog, writeLog } from '#src/server/http/log.ts';

import { printForApp, warnInApp } from './print-for-app.ts';

let printed: string;
let restore: () => void;

beforeEach(() => {
  printed = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => (printed += String(text)) !== '');
  restore = replaceLog(printForApp);
});

afterEach(() => {
  restore();
  vi.restoreAllMocks();
});

const error = {
  digest: '3F7K2M9QRT',
  phase: 'rsc',
  kind: 'document',
  route: '/orders',
  name: 'TypeError',
  message: 'no order',
  stack: 'TypeError: no order\n    at loadOrder (/srv/dist/server/a.js:1:2)',
};

it('prints an error as any server does, with its digest', () => {
  writeLog('error', 'server-error', error);
  expect(printed).toBe(
    'TypeError: no order\n    at loadOrder (/srv/dist/server/a.js:1:2)\n' +
      '    [flight-recorder] digest 3F7K2-M9QRT, rsc, document /orders\n',
  );
});

it('prints the causes, outermost first, with the frames of the code itself', () => {
  const late = 'RangeError: late\n    at wait (/srv/src/wait.ts:3:1)\n    at r (/srv/node_modules/react/a.js:1:1)';
  writeLog('error', 'server-error', { ...error, causes: [late, 'thrown string: closed'] });
  expect(printed).toContain(
    '(/srv/dist/server/a.js:1:2)\n  Caused by RangeError: late\n      at wait (/srv/src/wait.ts:3:1)\n      … 1 frame of React\n' +
      '  Caused by thrown string: closed\n    [flight-recorder] digest',
  );
});

it('prints only the beginning of a long cause', () => {
  const frames = Array.from({ length: 40 }, (_, line) => `    at f (/srv/src/a.ts:${line + 1}:1)`);
  writeLog('error', 'server-error', { ...error, causes: [`Error: deep\n${frames.join('\n')}`] });
  expect(printed).toContain('a.ts:7:1');
  expect(printed).not.toContain('a.ts:8:1');
});

it('says where it was thrown at once, where that is known', () => {
  writeLog('error', 'server-error', { ...error, source: 'src/orders.ts:7' });
  expect(printed).toMatch(/digest 3F7K2-M9QRT, rsc, document \/orders, thrown at src\/orders\.ts:7\n$/);
});

it('prints what was thrown where there is no stack', () => {
  writeLog('error', 'server-error', { ...error, stack: '', name: 'thrown string', kind: 'background', route: '' });
  expect(printed).toBe('thrown string: no order\n    [flight-recorder] digest 3F7K2-M9QRT, rsc, background\n');
});

it('says where it was thrown once the map has been read, and nothing where it was not found', () => {
  writeLog('error', 'server-error-source', { digest: error.digest, source: 'src/orders.ts:7' });
  writeLog('error', 'server-error-source', { digest: error.digest, source: undefined });
  expect(printed).toBe('    [flight-recorder] digest 3F7K2-M9QRT was thrown at src/orders.ts:7\n');
});

it('escapes what a terminal would act on, line by line', () => {
  writeLog('error', 'server-error', { ...error, stack: 'TypeError: \u001b[2J\n    at x' });
  expect(printed).toContain('TypeError: \\u001b[2J\n    at x\n');
});

it('says in a sentence what is lost, and nothing of what goes well or what visitors do wrong', () => {
  writeLog('warn', 'flights-not-sent', { reason: 'it answered 503' });
  writeLog('error', 'error-not-recorded', { digest: error.digest, reason: 'x' });
  writeLog('warn', 'request-refused', { code: 'wrong-origin' });
  writeLog('info', 'anything', {});
  warnInApp('[flight-recorder] said');
  warnInApp('plain');
  expect(printed.split('\n')).toEqual([
    '[flight-recorder] the recorder does not take flights now; they wait here: it answered 503',
    '[flight-recorder] an error could not be recorded: digest 3F7K2-M9QRT, x',
    '[flight-recorder] said',
    '[flight-recorder] plain',
    '',
  ]);
});

it("folds React's frames", () => {
  const stack = `${error.stack}\n    at renderElement (/srv/dist/server/rsc.js:1:2)`;
  writeLog('error', 'server-error', { ...error, stack });
  expect(printed).toContain('a.js:1:2)\n    … 1 frame of React\n    [flight-recorder]');
});

it('leaves lines of a message that look like frames', () => {
  const message = 'no\n    at a (/srv/a.js:1:1)\n    at b (/srv/node_modules/b.js:2:2)';
  writeLog('error', 'server-error', { ...error, message, stack: `TypeError: ${message}\n    at c (/srv/c.js:3:3)` });
  expect(printed).toContain(`TypeError: ${message}\n    at c (/srv/c.js:3:3)\n`);
});
