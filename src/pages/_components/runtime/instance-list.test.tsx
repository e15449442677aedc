import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { ListedInstance } from '#src/access/list-instances.ts';

import { InstanceList } from './instance-list.tsx';

const now = Date.UTC(2026, 10, 22, 12);

function describe(parts: Partial<ListedInstance>): ListedInstance {
  const counts = {
    requests: 12,
    errors: 2,
    flights: 3,
    unstored: 1,
    'dropped-memory': 4,
    'dropped-disk': 0,
    'dropped-thread': 0,
    'dropped-unreadable': 0,
    'dropped-usage': 0,
    'dropped-database': 0,
  };
  const address = '127.0.0.1:4000';
  const state = { address, load: 'calm', delayMs: 3, memoryBytes: 1_000_000, leases: ['alerts', 'retention'], counts };
  const where = { host: 'one', pid: 7, origin: 'http://one', version: '1.0.0', build: 'abc' };
  return { id: 'a', ...where, started: now - 60_000, seen: now, presence: 'here', isOwn: false, state, ...parts };
}

it('marks its own server, says what each does, and that one that is gone does nothing', () => {
  const instances = [
    describe({ isOwn: true }),
    describe({ id: 'b', pid: 8, presence: 'gone', seen: now - 40_000 }),
    describe({ id: 'c', pid: 9, presence: 'stopped', seen: now - 20_000 }),
    describe({ id: 'd', pid: 10, state: { ...describe({}).state, load: 'no-pages' } }),
  ];
  const html = renderToStaticMarkup(<InstanceList instances={instances} now={now} />);
  const [own = '', gone = '', stopped = '', busy = ''] = html.split('<tr').slice(2);
  expect(own).toContain('process 7, made this page');
  // People open all of them at the same address.
  expect(own).toContain('127.0.0.1:4000 <span');
  expect(own).toContain('alerts, retention');
  // What was dropped, and what could not be written.
  expect(own).toContain('text-error">5<');
  expect(gone).toMatch(/not heard of since/);
  expect(gone).toContain('>nothing<');
  expect(gone).toContain('class="text-quiet"');
  expect(gone).not.toContain('made this page');
  expect(stopped).toMatch(/stopped/);
  expect(busy).toContain('turns work away (no-pages)');
});

it('breaks no short word and no number, and can be scrolled where not all columns fit', () => {
  const html = renderToStaticMarkup(<InstanceList instances={[describe({})]} now={now} />);
  expect(html).toMatch(/<div class="overflow-x-auto" tabindex="0" role="group" aria-label="[^"]+"><table/);
  const cells = [...html.matchAll(/<td data-label="([^"]+)"(?: class="([^"]*)")?/g)];
  const bounded = cells.filter(([, , classes = '']) => /whitespace-nowrap|overflow-wrap:normal/.test(classes));
  const names = ['State', 'Version', 'Load', 'Requests', 'Errors', 'Flights', 'Lost'];
  expect(bounded.map(([, name]) => name)).toEqual(names);
});
