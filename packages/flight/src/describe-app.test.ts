import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { analyzeFlight } from './analysis.ts';
import { decodeFlight } from './decode-flight.ts';
import { describeApp, type AppFacts } from './describe-app.ts';
import { describePage } from './describe-page.ts';
import { readErrors } from './errors.ts';
import { openFlights } from './open-flights.ts';

const fixtures = path.join(import.meta.dirname, '../fixtures');

function readFixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(path.join(fixtures, name)));
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The facts of a payload: the same of its bytes and of the flight. */
function describeBoth(bytes: Uint8Array): AppFacts {
  const facts = describeApp(bytes);
  expect(describeApp(decodeFlight(bytes))).toEqual(facts);
  return facts;
}

/** What is known, in a word or two each: `next action /blog/[slug]`. */
function summarize({ framework, purpose, route, path: at, redirect }: AppFacts): string {
  return [framework?.guess, purpose, route, at === route ? undefined : at, redirect].filter(Boolean).join(' ');
}

describe('production responses of each framework', () => {
  test.each([
    ['parcel-2.16.4-production/action.rsc', 'parcel action'],
    ['parcel-2.16.4-production/types.rsc', 'parcel page'],
    // A page without client components: an array of two, which others could write too.
    ['parcel-2.16.4-production/home.rsc', ''],
    ['plugin-rsc-0.5.38-production/home.rsc', 'vite-rsc page'],
    ['plugin-rsc-0.5.38-production/boom.rsc', 'vite-rsc page'],
    ['plugin-rsc-0.5.38-production/types.rsc', 'vite-rsc page'],
    ['redwood-sdk-1.7.3-production/home.rsc', 'redwood page'],
    ['redwood-sdk-1.7.3-production/boom.rsc', 'redwood page'],
    ['redwood-sdk-1.7.3-production/types.rsc', 'redwood page'],
    ['react-router-8-production/home.rsc', 'react-router page /'],
    ['react-router-8-production/boom.rsc', 'react-router page /boom'],
    ['react-router-8-production/types.rsc', 'react-router page /types'],
    ['react-router-8-production/client-loader.rsc', 'react-router page /client-loader'],
    ['react-router-8-production/optimistic.rsc', 'react-router page /optimistic'],
    ['react-router-8-production/action.rsc', 'react-router action'],
    ['react-router-8-production/redir.rsc', 'react-router redirect /types'],
    ['react-router-8-production/types.manifest.rsc', 'react-router manifest'],
    ['tanstack-start-1.169-production/rsc-flight.bin', ''],
    ['waku-1.0.0-rc.1-production/home-rsc.flight', 'waku page /'],
    ['waku-1.0.0-rc.1-production/boom-rsc.flight', 'waku page /boom'],
    ['waku-1.0.0-rc.1-production/action-ok.flight', 'waku action'],
    ['next-16.4.6-cache-components/about.rsc', 'next page /about'],
    ['next-16.4.6-cache-components/heavy-prefetch.rsc', 'next page /heavy'],
    ['next-16.4.6-cache-components/blog-tree.rsc', 'next prefetch /blog/[slug]'],
    ['next-16.4.6-cache-components/blog-fallback-segment.rsc', 'next prefetch /blog/[slug]'],
  ])('%s: %s', (file, summary) => {
    expect(summarize(describeBoth(readFixture(file)))).toBe(summary);
  });

  test.each([
    ['next-16.4.6-cache-components/about.rsc', 'iU7hSPjAQ07CZB9PL2NuJ'],
    ['next-16.4.6-cache-components/blog-tree.rsc', 'iU7hSPjAQ07CZB9PL2NuJ'],
    ['next-16.4.6-cache-components/blog-fallback-segment.rsc', 'iU7hSPjAQ07CZB9PL2NuJ'],
    ['next-16.4.6-development/shop.rsc', undefined],
    ['waku-1.0.0-rc.1-production/home-rsc.flight', '37QPkWzb'],
    ['waku-1.0.0-rc.1-production/action-ok.flight', '37QPkWzb'],
    ['react-router-8-production/home.rsc', '77ebee38'],
    ['react-router-8-production/action.rsc', '77ebee38'],
    ['parcel-2.16.4-production/types.rsc', undefined],
  ])('%s is of the build %s', (file, build) => {
    expect(describeBoth(readFixture(file)).build).toBe(build);
  });

  test.each([
    ['parcel-2.16.4-production/home-html.bin', 'parcel'],
    ['parcel-2.16.4-production/types-html.bin', 'parcel page'],
    ['plugin-rsc-0.5.38-production/home-html.bin', 'vite-rsc page'],
    ['redwood-sdk-1.7.3-production/home-html.bin', 'redwood page'],
    ['react-router-8-production/home-html.bin', 'react-router page /'],
    ['tanstack-start-1.169-production/rsc-basic.bin', 'tanstack-start'],
    ['tanstack-start-1.169-production/rsc-streaming.bin', 'tanstack-start'],
    ['waku-1.0.0-rc.1-production/home-html.flight', 'waku page /'],
    ['next-16.4.6-cache-components/blog-html.bin', 'next page /blog/[slug] /blog/zero'],
  ])('the page %s: %s', (file, summary) => {
    expect(summarize(describePage(new TextDecoder().decode(readFixture(file))))).toBe(summary);
  });

  test.each<[string, { state?: string; errors?: readonly string[]; findings?: readonly string[] }]>([
    ['parcel-2.16.4-production/home.rsc', {}],
    ['parcel-2.16.4-production/boom.rsc', { errors: [''], findings: ['error'] }],
    ['parcel-2.16.4-production/boom-html.bin', { errors: [''], findings: ['error'] }],
    ['parcel-2.16.4-production/types.rsc', {}],
    ['plugin-rsc-0.5.38-production/boom.rsc', { errors: [''], findings: ['error'] }],
    ['plugin-rsc-0.5.38-production/types-html.bin', {}],
    ['redwood-sdk-1.7.3-production/boom-html.bin', { errors: [''], findings: ['error'] }],
    ['redwood-sdk-1.7.3-production/types.rsc', {}],
    ['react-router-8-production/boom.rsc', { errors: [''], findings: ['error'] }],
    ['react-router-8-production/types-html.bin', {}],
    ['react-router-8-production/action.rsc', {}],
    ['tanstack-start-1.169-production/rsc-suspense.bin', {}],
    ['next-16.4.6-cache-components/about.rsc', {}],
    // Its holes never come, by design: the page is prerendered for any parameter.
    ['next-16.4.6-cache-components/blog-fallback-segment.rsc', { state: 'halted' }],
  ])('%s has no finding that is wrong', async (file, { state = 'complete', errors = [], findings = [] }) => {
    const input = await openFlights(readFixture(file));
    const [found] = input.kind === 'flights' ? input.flights : [];
    const flight = decodeFlight(found?.direction === 'response' ? found.bytes : new Uint8Array());
    expect(flight.state.kind).toBe(state);
    expect(readErrors(flight).map(({ digest }) => digest)).toEqual(errors);
    expect(analyzeFlight(flight).findings.map(({ kind }) => kind)).toEqual(findings);
  });

  test('Next says which payload is complete', () => {
    const markerOf = (name: string) => decodeFlight(readFixture(`next-16.4.6-cache-components/${name}.rsc`)).marker;
    expect(markerOf('about')).toBe('complete');
    expect(markerOf('heavy-prefetch')).toBe('partial');
    expect(markerOf('blog-tree')).toBeUndefined();
  });

  test('React Router matches its root alone at an address that no route has', () => {
    const routeAt = (pathname: string, ...matches: readonly object[]) =>
      describeBoth(toBytes(`0:${JSON.stringify({ type: 'render', matches, location: { pathname } })}\n`)).route;
    const root = { id: 'root', path: '' };
    expect([routeAt('/nope', root), routeAt('/', root)]).toEqual([undefined, '/']);
    expect([routeAt('/', root, { id: 'routes/home' }), routeAt('/a', root, { id: 'a', path: 'a' })]).toEqual([
      '/',
      '/a',
    ]);
  });

  test('Waku says whether a page is static, React Router which routes match', () => {
    expect(describeBoth(readFixture('waku-1.0.0-rc.1-production/home-rsc.flight')).isStatic).toBe(false);
    expect(describeBoth(readFixture('react-19.3.1-production/waku-like.flight')).isStatic).toBe(true);
    expect(describeBoth(readFixture('react-router-8-production/boom.rsc')).routeIds).toEqual(['root', 'routes/boom']);
  });
});

describe('the route of a Next.js payload', () => {
  const tree = (...segments: string[]): string =>
    segments.reduceRight((below, segment) => `[${segment},{"children":${below}}]`, '["__PAGE__",{}]');
  test.each([
    ['a document of 15', `0:{"b":"x","c":["","a"],"f":[[${tree('""', '"a"')},[],null]],"G":[]}\n`, 'next page /a'],
    [
      'a document with a query',
      `0:{"b":"x","c":["","a","1?q=b/c"],"f":[[${tree('""', '"a"', '["id","1","d"]')}]],"G":[]}\n`,
      'next page /a/[id] /a/1',
    ],
    [
      'a navigation that begins below the root',
      `0:{"b":"x","f":[["children","blog","children",["slug","a","d"],["slug","a","d"],"never"]],"S":true}\n`,
      'next page',
    ],
    [
      'a navigation’s part of the tree',
      `0:{"b":"x","f":[["children","blog","children",["slug","a","d"],${tree('["slug","a","d"]', '"edit"')},[]]],"S":true}\n`,
      'next page /blog/[slug]/edit',
    ],
    [
      'groups',
      `0:{"b":"x","f":[[${tree('""', '"(shop)"', '"(.)photo"', '"cart"')}]],"S":true}\n`,
      'next page /(.)photo/cart',
    ],
    [
      'all kinds of parameters',
      `0:{"b":"x","f":[[${tree('["a","1","d"]', '["b","1","c"]', '["c","","oc"]', '["d","1","di(.)"]', '["e","1","ci(..)(..)"]')}]],"S":true}\n`,
      'next page /[a]/[...b]/[[...c]]/(.)[d]/(..)(..)[...e]',
    ],
    ['an action', `0:{"a":"$@1","b":"x","f":[[${tree('""', '"a"')}]]}\n1:5\n`, 'next action /a'],
    ['an action of 15 that rendered nothing', '0:{"a":"$@1","f":"","b":"x"}\n1:"Hello"\n', 'next action'],
    ['an action of 14 that rendered nothing', '0:["$@1",["build",null]]\n1:"Hello"\n', 'next action'],
    ['an action of 14', `0:["$@1",["build",[[${tree('""', '"a"')},[],null]]]]\n1:"Hello"\n`, 'next action /a'],
    ['a promise and a list, of nobody', '0:["$@1",["a",null,1]]\n1:"Hello"\n', ''],
    ['an action that rendered nothing', '0:{"a":"$@1","q":"","i":false}\n1:5\n', 'next action'],
    [
      'a prefetched tree of 15 and 16.0',
      '0:{"buildId":"x","tree":{"name":"","paramType":null,"slots":{"children":{"name":"id","paramType":"d","slots":{"children":{"name":"__PAGE__","paramType":null,"slots":null}}}}},"staleTime":300}\n',
      'next prefetch /[id]',
    ],
    [
      'a slot that is not the page',
      '0:{"t":{"t":{"s":"","c":"$Q1"}}}\n1:[["modal",{"s":"__DEFAULT__"}],["children",{"s":"a","c":"$Q2"}]]\n2:[["children",{"s":"__PAGE__"}]]\n',
      'next prefetch /a',
    ],
    ['a head alone', '0:{"t":{"t":{"s":"","h":80}}}\n', 'next prefetch'],
    ['a navigation of 14', `0:["build",[["children","a",${tree('"a"')},[],null]]]\n`, 'next page /a'],
    [
      'a document of 14',
      `1:I[5,[],""]\n0:[[["$","link",null,{}]],["$","$L1",null,{"buildId":"x","initialTree":${tree('""', '"a"')}}]]\n`,
      'next page /a',
    ],
    ['a document of 13.4', `0:["$","$L1",null,{"initialTree":${tree('""', '"a"')}}]\n`, 'next page /a'],
    [
      'the page for errors',
      `0:{"c":["","_global-error"],"q":"","i":false,"S":true,"t":{"t":{"s":"","c":"$Q1"}}}\n1:[["children",{"s":"__PAGE__"}]]\n`,
      'next page /_global-error',
    ],
  ])('%s', (_, text, summary) => {
    expect(summarize(describeBoth(toBytes(text)))).toBe(summary);
  });
});

test('Next’s client modules tell it, also when their files are rows of their own', () => {
  const text = '1:"/_next/static/chunks/a1b2.js"\n2:I[5,["$1"],""]\n0:["$","$L2",null,{}]\n';
  expect(describeBoth(toBytes(text)).framework).toEqual({
    guess: 'next',
    because: 'a client module is in static/chunks',
  });
});

describe('bounds', () => {
  test.each([
    ['nothing', ''],
    ['no root', '1:"a"\n'],
    ['a tree that is a circle', '0:{"t":{"t":{"s":"a","c":"$Q1"}}}\n1:[["children","$2"]]\n2:{"s":"a","c":"$Q1"}\n'],
    ['a reference to itself', '0:{"t":"$0","f":"$0:f","c":"$1"}\n1:"$1"\n'],
    ['broken rows', '0:{"t":{"t":\n'],
    ['no Flight', 'hello'],
    ['JSON of another kind', '0:{"t":5,"f":7,"tree":[],"type":{},"ROUTE":5}\n'],
  ])('%s has no route, and does not throw', (_, text) => {
    expect(describeBoth(toBytes(text)).route).toBeUndefined();
  });

  test('of a large payload no more is decoded than it takes', () => {
    const rows = Array.from(
      { length: 40_000 },
      (_, id) => `${(id + 10).toString(16)}:["$","p",null,{"a":[${'1,'.repeat(50)}1]}]\n`,
    );
    const bytes = toBytes(`${rows.join('')}0:{"ROUTE":["/a",""],"IS_STATIC":true}\n`);
    expect(bytes.length).toBeGreaterThan(5_000_000);
    const cpu = (work: () => unknown): number => {
      const start = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    decodeFlight(bytes);
    describeApp(bytes);
    expect(cpu(() => describeApp(bytes))).toBeLessThan(cpu(() => decodeFlight(bytes)) / 2);
    expect(describeApp(bytes)).toMatchObject({ path: '/a', isStatic: true });
  });

  test('a script of another page is no sign', () => {
    expect(describePage('<p>__next_f</p><script type="text/plain">$_TSR</script>').framework).toBeUndefined();
    expect(describePage('<script>(self.__next_f=self.__next_f||[]).push([1,"0:5\\n"])</script>')).toMatchObject({
      framework: { guess: 'next', because: 'a script of the page has __next_f' },
      flights: [{ source: 'next' }],
    });
  });
});
