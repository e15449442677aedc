import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { TraceMap, originalPositionFor } from '@jridgewell/trace-mapping';

import { transformWithOxc } from 'vite';
import { afterEach, describe, expect, it } from 'vitest';

import { createContext } from '#src/server/http/create-request-context.ts';
import { runInRequest } from '#src/server/http/request-context.ts';

import { closeCallLog, openCallLog, type LoggedCall } from './call-log.ts';
import * as timeCalls from './time-calls.ts';
import { timeSource } from './time-source.ts';

declare global {
  var __TIME_CALLS__: typeof timeCalls | undefined;
}

afterEach(() => {
  globalThis.__TIME_CALLS__ = undefined;
});

/** The module as a build would have it, in this process. */
async function load(source: string, file = 'src/page.tsx'): Promise<Record<string, (...args: unknown[]) => unknown>> {
  const timed = timeSource(source, file)?.code ?? source;
  globalThis.__TIME_CALLS__ = timeCalls;
  const local = timed.replace(/import \{ (.*) \} from "virtual:.*";/, (_all, names: string) => {
    return `const { ${names.replaceAll(' as ', ': ')} } = globalThis.__TIME_CALLS__;`;
  });
  const jsx = { runtime: 'classic', pragma: 'h' } as const;
  const { code } = await transformWithOxc(`const h = (type) => type;\n${local}`, 'page.tsx', { jsx });
  return import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}#${Math.random()}`);
}

async function log(run: () => unknown): Promise<readonly LoggedCall[]> {
  const headers = new Headers();
  const signal = new AbortController().signal;
  const context = createContext({ method: 'GET', path: '/', headers, address: '', signal }, false);
  const calls = openCallLog(context);
  await runInRequest(context, run);
  return closeCallLog(calls);
}

function show(calls: readonly LoggedCall[]): string[] {
  return calls.map(({ kind, name, place }) => `${kind} ${name} ${place}`);
}

/** Counted from the next turn on: a busy machine may take long to come to the `await`. */
async function sleep(ms = 5): Promise<void> {
  await nextTurn();
  for (const from = performance.now(); performance.now() - from < ms;) await wait(ms);
}

describe('a timed module', () => {
  it('tells components and their waits, with their lines', async () => {
    const { default: Page } = await load(`
      const get = { user: (sleep) => sleep() };
      export default async function Page({ sleep }) {
        const user = await get.user(sleep);
        await Promise.all([sleep(), sleep()]);
        return <p>{await sleep()}</p>;
      }`);
    const calls = await log(() => Page?.({ sleep }));
    expect(show(calls)).toEqual([
      'wait get.user src/page.tsx:4',
      'wait Promise.all src/page.tsx:5',
      'wait sleep src/page.tsx:6',
      'component Page src/page.tsx:3',
    ]);
    const [first, , last, page] = calls;
    expect([first?.parent, last?.parent, page?.parent]).toEqual([page?.id, page?.id, 0]);
    expect((first?.until ?? 0) - (first?.from ?? 0)).toBeGreaterThan(4);
    expect(page?.until).toBeGreaterThanOrEqual(last?.until ?? Number.NaN);
  });

  it('tells nothing of what nobody waits for, and nothing outside of a recorded request', async () => {
    const { Fast, Slow } = await load(`
      export const Fast = () => <b/>;
      export async function Slow({ sleep }) { await sleep(); return <Fast/>; }`);
    expect(show(await log(() => Fast?.({})))).toEqual([]);
    expect(await Slow?.({ sleep })).toBe(Fast);
    expect(show(await log(() => Slow?.({ sleep })))).toEqual([
      'wait sleep src/page.tsx:3',
      'component Slow src/page.tsx:3',
    ]);
  });

  it('tells server functions, of a module and of a component', async () => {
    const { save, other, helper } = await load(
      `'use server';
      export async function save(sleep) { await sleep(); }
      async function named(sleep) { await sleep(); }
      export { named as other };
      export async function* helper() {}`,
      'src/actions.ts',
    );
    expect(show(await log(() => save?.(sleep)))).toEqual([
      'wait sleep src/actions.ts:2',
      'function save src/actions.ts:2',
    ]);
    expect(show(await log(() => other?.(sleep)))[1]).toBe('function named src/actions.ts:3');
    expect(helper?.()).toBeTypeOf('object');
    const { Form } = await load(
      `export function Form() { const save = async (sleep) => { 'use server'; await sleep(); }; return save; }`,
    );
    const saveIt = Form?.({});
    expect(typeof saveIt === 'function' && show(await log(() => saveIt(sleep)))).toEqual([
      'wait sleep src/page.tsx:1',
      'function  src/page.tsx:1',
    ]);
  });

  it('tells what goes on when the answer is there', async () => {
    const { Page } = await load(`export async function Page({ sleep }) { await sleep(50); return <p/>; }`);
    const calls = await log(() => void Page?.({ sleep }));
    expect(calls.map(({ name, until }) => [name, until])).toEqual([
      ['sleep', undefined],
      ['Page', undefined],
    ]);
  });

  it('is with its callers the same: names, parameters, `this`, results, errors and their stacks', async () => {
    const source = `
      export const Arrow = async ({ a }, b) => ({ a, b });
      export function Sync() { return [this, arguments.length, <i/>]; }
      export async function Fails() {
        await null;
        throw new Error('as it was');
      }
      export function FailsAtOnce() { <i/>; throw new Error('at once'); }
      export async function Caught(fail) { try { await fail(); } catch (error) { return error; } finally { await null; } }`;
    const timed = await load(source);
    const self = {};
    expect([timed['Arrow']?.name, timed['Arrow']?.length, timed['Sync']?.name]).toEqual(['Arrow', 2, 'Sync']);
    await log(async () => {
      expect(await timed['Arrow']?.({ a: 1 }, 2)).toEqual({ a: 1, b: 2 });
      expect(timed['Sync']?.call(self, 1, 2)).toEqual([self, 2, 'i']);
      const error: unknown = await Promise.resolve(timed['Fails']?.()).catch((thrown: unknown) => thrown);
      expect(error instanceof Error && error.stack?.split('\n').slice(0, 2)).toEqual([
        'Error: as it was',
        expect.stringMatching(/at (?:Module\.)?Fails .*:\d+:\d+\)/),
      ]);
      expect(() => timed['FailsAtOnce']?.()).toThrow('at once');
      expect(await timed['Caught']?.(() => Promise.reject(new Error('no')))).toEqual(new Error('no'));
    });
  });
});

describe('what runs beside a waiting component', () => {
  it('is not the component’s, whatever has ended meanwhile', async () => {
    const { A, B } = await load(`
      export async function A({ first, note }) { note('a1'); await first; note('a2'); return <p/>; }
      export async function B({ failing, second, note }) {
        note('b1');
        try { await failing; } catch { note('b2'); }
        await second;
        note('b3');
        return <p/>;
      }`);
    const [first, failing, second] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    const noted: string[] = [];
    const note = (what: string) => noted.push(`${what} ${timeCalls.findCurrentCall()?.call?.timed.name}`);
    await log(async () => {
      const a = A?.({ first: first?.promise, note });
      const b = B?.({ failing: failing?.promise, second: second?.promise, note });
      note('outside');
      failing?.reject(new Error('no'));
      await nextTurn();
      first?.resolve();
      await a;
      second?.resolve();
      await b;
      note('after');
    });
    expect(noted).toEqual(['a1 A', 'b1 B', 'outside undefined', 'b2 B', 'a2 A', 'b3 B', 'after undefined']);
  });

  it('is the outer one’s again after a call within it', async () => {
    const { Outer } = await load(`
      function Inner({ note }) { note('inner'); return <p/>; }
      export function Outer({ note }) { Inner({ note }); note('outer'); return <p/>; }`);
    const noted: unknown[] = [];
    const note = (what: string) => noted.push([what, timeCalls.findCurrentCall()?.call?.timed.name]);
    await log(() => Outer?.({ note }));
    expect(noted).toEqual([
      ['inner', 'Inner'],
      ['outer', 'Outer'],
    ]);
  });
});

describe('the source', () => {
  it('is left alone where nothing is a component: clients’ modules, generators, routes of an API, what cannot be read', () => {
    for (const source of [
      `'use client';\nexport function Button() { return <b/>; }`,
      'export async function* Page() { yield <a/>; }',
      'export async function GET() { await 1; }',
      'export function helper() { return <a/>; }',
      'export async function Page() { for await (const a of b) c(a); return <a/>; }',
      'export async function Page() { await using a = b(); return <a/>; }',
      'export function Broken( {',
    ]) {
      expect([source, timeSource(source, 'src/page.tsx')]).toEqual([source, undefined]);
    }
    expect(timeSource('export async function Load() { await a(); }', 'src/load.ts')).toBeUndefined();
    const timed = timeSource('export const Page = () => <a/>;', 'src/page.tsx')?.code ?? '';
    expect(timeSource(timed, 'src/page.tsx')).toBeUndefined();
  });

  it('says which awaits use what others gave', () => {
    const uses = (body: string) => {
      const code = timeSource(`export async function Page({ id }) { ${body} return <p/>; }`, 'a.tsx')?.code ?? '';
      const awaits: unknown = JSON.parse(/"awaits":(\[.*?\])\}\)/.exec(code)?.[1] ?? '');
      return Array.isArray(awaits) && awaits.map((one: unknown) => (Array.isArray(one) ? one[2] : one));
    };
    expect(uses('const a = await f(id); const b = await g(id); await h(b.id);')).toEqual([false, false, true]);
    expect(uses('const { x: [a] } = await f(id); const url = `/${a}`; await g({ url });')).toEqual([false, true]);
    // A key of the same name is nobody's result.
    expect(uses('const user = await f(id); await db.user.find({ user: 1 });')).toEqual([false, false]);
    expect(uses('let page; while (more) page = await f(page?.next);')).toEqual([true]);
    expect(uses('const a = await f(await g());')).toEqual([true, false]);
    // Begun before: it has waited along with the others.
    expect(
      uses(
        'const p = f(id); await g(); await p; await p.then(h); await Promise.all([p, q]); await Promise.all([f(1)]);',
      ),
    ).toEqual([false, true, true, true, false]);
  });

  it('has a map to the places that were written', () => {
    const source = `// 😀 é\nexport async function Page() {\n  const a = await first(); second(a);\n  return <p/>;\n}`;
    const { code, map } = timeSource(source, 'src/page.tsx') ?? { code: '', map: undefined };
    const traced = new TraceMap(map?.toString() ?? '');
    const [line = '', index] = code.split('\n').flatMap((text, at) => (text.includes('second') ? [text, at] : []));
    expect(
      originalPositionFor(traced, { line: Number(index) + 1, column: String(line).indexOf('second') }),
    ).toMatchObject({
      line: 3,
      column: 27,
      source: 'src/page.tsx',
    });
  });
});
