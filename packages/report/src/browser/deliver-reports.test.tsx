import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { deliver } from './deliver-reports.ts';
import { keptReports, readDelivery } from './kept-reports.ts';

function write(digest: string): string {
  return `{"event_id":"e","sent_at":""}\n{"type":"event"}\n{"tags":{"digest":"${digest}"}}`;
}

let posted: string[];
/** By digest: the server's next answers. */
let answers: Map<string, Response[]>;

beforeEach(() => {
  vi.useFakeTimers();
  posted = [];
  answers = new Map();
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const digest = /"digest":"(\w+)"/.exec(body)?.[1] ?? '';
    posted.push(digest);
    return answers.get(digest)?.shift() ?? new Response('{"id":"e"}');
  });
});

afterEach(() => {
  keptReports.length = 0;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function answer(digest: string, ...responses: Response[]): void {
  answers.set(digest, responses);
}

describe('deliver', () => {
  it('lets those behind go first when the server has no room for one, and brings it later', async () => {
    answer('LARGE', new Response('', { status: 503, headers: { 'retry-after': '10' } }));
    deliver(write('LARGE'));
    deliver(write('SMALL'));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(posted).toEqual(['LARGE']);
    await vi.advanceTimersByTimeAsync(1);
    expect(posted).toEqual(['LARGE', 'SMALL', 'LARGE']);
    expect([readDelivery('SMALL'), readDelivery('LARGE')]).toEqual(['arrived', 'arrived']);
    expect(keptReports).toEqual([]);
  });

  it.each([
    ['whose answer names no event', new Response('{}')],
    ['that is refused', new Response('', { status: 413 })],
  ])('does not say that a report has arrived %s, and does not keep it', async (title, response) => {
    const digest = title.includes('names') ? 'UNNAMED' : 'REFUSED';
    answer(digest, response);
    deliver(write(digest));
    await vi.advanceTimersByTimeAsync(0);
    expect([posted, readDelivery(digest), keptReports]).toEqual([[digest], 'in-flight', []]);
  });
});
