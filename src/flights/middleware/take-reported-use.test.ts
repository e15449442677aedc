import { expect, it, vi } from 'vitest';

import { createReportedUseTaker } from './take-reported-use.ts';

const [one, two] = ['1'.repeat(32), '2'.repeat(32)];

async function post(body: string, headers: Record<string, string> = {}, method = 'POST') {
  const note = vi.fn();
  const onRefused = vi.fn();
  const init = { method, headers: { origin: 'http://shop.test', ...headers }, ...(method === 'POST' ? { body } : {}) };
  const take = createReportedUseTaker({ note, onRefused });
  const response = await take(new Request('http://shop.test/_fr/used', init), '192.0.2.1');
  await response.text();
  expect(onRefused).toHaveBeenCalledTimes(response.ok ? 0 : 1);
  return { status: response.status, noted: note.mock.calls.flat() };
}

const none = { used: [], unused: [], clicks: [], links: [], vitals: undefined };

it('notes the ids in it, and nothing that is none', async () => {
  const told = { used: [one, 'x', 7], unused: [two], clicks: 'x', links: [] };
  expect(await post(JSON.stringify(told))).toEqual({ status: 204, noted: [{ ...none, used: [one], unused: [two] }] });
  expect(await post(JSON.stringify({ clicks: [one] }))).toEqual({ status: 204, noted: [{ ...none, clicks: [one] }] });
  expect(await post('{}')).toEqual({ status: 204, noted: [none] });
});

it('notes for which links they were: short texts, and a trigger that is known', async () => {
  const links = [
    [one, 'hover', 'Socks\0', 'nav > a'],
    [two, 'render', `${'x'.repeat(199)}😀`, ''],
    [one, 'save', 'Socks', 'a'],
    ['x', 'hover', 'Socks', 'a'],
    [one, 'hover', {}, 'a'],
    'x',
  ];
  const { noted } = await post(JSON.stringify({ links }));
  expect(noted[0].links).toEqual([
    { id: one, trigger: 'hover', text: 'Socks', place: 'nav > a' },
    { id: two, trigger: 'render', text: `${'x'.repeat(199)}\uFFFD`, place: '' },
  ]);
});

it('notes how fast the document was, by its id, and nothing where a part of it cannot be', async () => {
  const vitals = { lcp: { ms: 1_400, element: `h1${'x'.repeat(300)}`, loadDelayMs: 0, loadMs: 0, renderDelayMs: 900 } };
  const { status, noted } = await post(JSON.stringify({ vitals: { id: one, ...vitals } }));
  const { lcp } = vitals;
  expect(status).toBe(204);
  expect(noted).toEqual([
    { ...none, vitals: { id: one, vitals: { lcp: { ...lcp, element: `h1${'x'.repeat(198)}` } } } },
  ]);
  for (const wrong of [{ ...vitals }, { id: 'x', ...vitals }, { id: one, lcp: { ms: -1 } }, { id: one, fcp: '1' }, 7]) {
    expect(await post(JSON.stringify({ used: [one], vitals: wrong }))).toEqual({ status: 400, noted: [] });
  }
});

it('takes no more than a beacon of the module has', async () => {
  const { noted } = await post(JSON.stringify({ used: Array(101).fill(one) }));
  expect(noted[0].used).toHaveLength(100);
});

it.each([
  ['of another origin', 'x', { origin: 'https://evil.test' }, 'POST', 403],
  ['that is too long', 'x'.repeat(70_000), {}, 'POST', 413],
  ['that is no object', '[', {}, 'POST', 400],
  ['that is a list of ids', `${one},${two}`, {}, 'POST', 400],
  ['that is no POST', '', {}, 'GET', 405],
] as const)('refuses one %s', async (_, body, headers, method, status) => {
  expect(await post(body, headers, method)).toEqual({ status, noted: [] });
});

it('takes a burst of some tabs behind one address, and says that it refused what is beyond', async () => {
  const onRefused = vi.fn();
  const take = createReportedUseTaker({ note: () => undefined, onRefused });
  const statuses = [];
  for (let count = 0; count < 150; count += 1) {
    const init = { method: 'POST', headers: { origin: 'http://shop.test' }, body: '{}' };
    statuses.push((await take(new Request('http://shop.test/_fr/used', init), '192.0.2.1')).status);
  }
  expect(statuses.slice(0, 100)).toEqual(Array(100).fill(204));
  const refused = statuses.filter((status) => status === 429).length;
  expect(refused).toBeGreaterThan(0);
  expect(onRefused.mock.calls).toEqual(Array.from({ length: refused }, () => ['too-many-requests']));
});
