import { isValidElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import type { Experiment } from './experiment.ts';
import { experimentPages } from './experiment-pages.ts';

// The frame itself needs React's server half; what it is given is looked at here.
vi.mock('#src/lab/interface/experiment-page.tsx', () => ({ ExperimentPage: () => null }));
vi.mock('../saves/is-save.ts', () => ({ isSave: () => false }));

beforeEach(() => void vi.stubEnv('DEV', false));
afterEach(() => void vi.unstubAllEnvs());

type Working = Extract<Experiment, { status: 'working' }>;

const texts = { title: 'Title', isUntitled: false, happens: '', lookFor: '', group: '', order: 0, sources: [] };

function working(name: string, more: Partial<Working> = {}): Experiment {
  const load = async () => ({ default: () => null });
  return {
    name,
    file: `src/lab/${name}.tsx`,
    ...texts,
    status: 'working',
    render: 'dynamic',
    fails: false,
    load,
    pages: {},
    ...more,
  };
}

function broken(name: string, problem: Extract<Experiment, { status: 'broken' }>['problem']): Experiment {
  return { name, file: `src/lab/${name}.tsx`, ...texts, status: 'broken', problem };
}

type PageFile = { default: (props: object) => unknown; getConfig: () => Promise<unknown> };

function isPageFile(value: unknown): value is PageFile {
  return typeof value === 'object' && value !== null && 'default' in value && 'getConfig' in value;
}

async function loadPage(experiment: Experiment, file = `./pages/lab/${experiment.name}.tsx`): Promise<PageFile> {
  const page = await experimentPages([experiment])[file]?.();
  if (!isPageFile(page)) throw new Error(`${file} is no page`);
  return page;
}

function childOf(element: unknown): ReactNode {
  if (!isValidElement<{ children: ReactNode }>(element)) throw new Error('no element');
  return element.props.children;
}

it('gives each experiment its page, and the pages below it', () => {
  const more = async () => ({ default: () => null });
  const listed = [
    working('one', { pages: { '[id].tsx': more } }),
    broken('two', { kind: 'no-default' }),
    broken('x', { kind: 'bad-name', file: 'src/lab/[x].tsx', rename: 'x.tsx' }),
  ];
  expect(Object.keys(experimentPages(listed))).toEqual([
    './pages/lab/one.tsx',
    './pages/lab/one/[id].tsx',
    './pages/lab/two.tsx',
    './pages/lab/x.tsx',
  ]);
});

it('gives the component the query, and the page its rendering', async () => {
  const page = await loadPage(working('one', { render: 'static' }));
  expect(await page.getConfig()).toEqual({ render: 'static' });
  const child = childOf(page.default({ query: 'ms=5' }));
  expect(isValidElement<{ query: URLSearchParams }>(child) && child.props.query.get('ms')).toBe('5');
  const bare = childOf(page.default({}));
  expect(isValidElement<{ query: URLSearchParams }>(bare) && bare.props.query.size).toBe(0);
});

it('fails alone, when it is rendered and not when pages are listed', async () => {
  const fault = new Error('cannot be evaluated');
  const failing = await loadPage(working('one', { load: () => Promise.reject(fault), render: 'static' }));
  expect(await failing.getConfig()).toEqual({ render: 'dynamic' });
  expect(() => failing.default({})).toThrow(fault);
  const none = await loadPage(working('one', { load: async () => ({ default: 'text' }) }));
  expect(() => none.default({})).toThrow('The default export of src/lab/one.tsx is no component');
  const below = working('one', { pages: { 'more.tsx': () => Promise.reject(fault) } });
  const page = await loadPage(below, './pages/lab/one/more.tsx');
  expect(() => page.default({})).toThrow(fault);
});

it('says what is wrong with a broken one, on a page that works', async () => {
  const page = await loadPage(
    broken('one', { kind: 'syntax', file: 'src/lab/one.tsx', message: 'Unexpected', line: 3 }),
  );
  const notice = childOf(page.default({}));
  expect(childOf(notice)).toBe('src/lab/one.tsx cannot be read. Line 3: Unexpected');
});

it('does not say of one that cannot be shown that it is being measured', async () => {
  vi.stubEnv('DEV', true);
  async function readStrip(experiment: Experiment): Promise<string> {
    const page = await (await loadPage(experiment)).default({});
    if (!isValidElement<{ saves: ReactNode }>(page)) throw new Error('no element');
    return renderToStaticMarkup(page.props.saves);
  }
  expect(await readStrip(broken('one', { kind: 'no-default' }))).toContain(
    'It is measured as soon as it can be shown.',
  );
  expect(await readStrip(working('one'))).toContain('It is being measured.');
});
