import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { takeCheaperStep } from './cheaper-steps.ts';

const packages = path.join(import.meta.dirname, '../../../node_modules');

function takeInstalled(name: string): { readonly before: string; readonly after: string | undefined } {
  const file = path.join(packages, name);
  const before = readFileSync(file, 'utf8');
  return { before, after: takeCheaperStep(before, file) };
}

describe('takeCheaperStep', () => {
  it('knows the installed Waku, whose environment then is the process\u2019s own', () => {
    const { before, after = '' } = takeInstalled('waku/dist/lib/env.js');
    const asFunctions = (code: string) => code.replaceAll(/^export |^\/\/#.*$/gm, '');
    const run = new Function(`${asFunctions(after)}; return { set: unstable_setAllEnv, get: getEnv };`);
    const { set, get }: { set: (env: object) => void; get: (key: string) => unknown } = run();
    set(process.env);
    process.env['CHEAPER_STEP'] = 'there';
    expect(get('CHEAPER_STEP')).toBe('there');
    delete process.env['CHEAPER_STEP'];
    expect(get('CHEAPER_STEP')).toBeUndefined();
    // What is not this process's is copied as before.
    set({ NAME: 'value', notText: 1 });
    expect([get('NAME'), get('notText')]).toEqual(['value', undefined]);
    expect(before.split('\n')).toHaveLength(after.split('\n').length);
  });

  it('knows the installed server of files, which then makes no error for what is no file', () => {
    const { before, after } = takeInstalled('@hono/node-server/dist/serve-static.mjs');
    expect(after).toBe(before.replace('statSync(path)', 'statSync(path, { throwIfNoEntry: false })'));
  });

  it('leaves alone what is written differently, and other modules', () => {
    const id = '/app/node_modules/waku/dist/lib/env.js';
    expect(takeCheaperStep('export function unstable_setAllEnv(newEnv) {}', id)).toBeUndefined();
    expect(takeCheaperStep(takeInstalled('waku/dist/lib/env.js').before, '/app/src/lib/env.js')).toBeUndefined();
  });
});
