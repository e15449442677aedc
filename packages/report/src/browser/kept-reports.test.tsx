import { beforeEach, expect, it, vi } from 'vitest';

const memoryKey = 'flight:reports';

/** Starts as a new document of the same tab. */
async function openDocument() {
  vi.resetModules();
  const kept = await import('./kept-reports.ts');
  kept.keepReports('/reports', true);
  return kept;
}

beforeEach(() => sessionStorage.clear());

it('keeps the first twenty, for the next document too, until each is answered', async () => {
  const first = await openDocument();
  expect(first.keptReports).toEqual([]);
  for (let n = 0; n < 30; n += 1) first.keepReport(`{"n":${n}}\n{}`);
  const second = await openDocument();
  expect(second.keptReports).toEqual(Array.from({ length: 20 }, (_, n) => `{"n":${n}}\n{}`));
  for (let n = 0; n < 20; n += 1) second.dropReport();
  expect(sessionStorage.getItem(memoryKey)).toBe('');
  expect((await openDocument()).keptReports).toEqual([]);
});

it('says of a report that it is in flight until it has arrived', async () => {
  const { noteArrival, readDelivery, subscribeToDeliveries } = await openDocument();
  const listener = vi.fn();
  const unsubscribe = subscribeToDeliveries(listener);
  expect(readDelivery('0123456789')).toBe('in-flight');
  noteArrival('0123456789');
  expect(readDelivery('0123456789')).toBe('arrived');
  expect(listener).toHaveBeenCalledOnce();
  unsubscribe();
  for (let n = 0; n < 100; n += 1) noteArrival(`other${n}`);
  expect(readDelivery('0123456789'), 'a hundred are remembered').toBe('in-flight');
  expect(listener).toHaveBeenCalledOnce();
});

it('is stamped with the time of sending, and only that', async () => {
  const { stampReport } = await openDocument();
  const envelope = '{"event_id":"1","sent_at":"2020-01-01T00:00:00.000Z"}\n{"type":"event"}\n{"sent_at":"x"}';
  const stamped = stampReport(envelope);
  const [header = ''] = stamped.split('\n');
  expect(Date.now() - Date.parse(JSON.parse(header).sent_at)).toBeLessThan(60_000);
  expect(stamped.slice(header.length)).toBe(envelope.slice(envelope.indexOf('\n')));
});
