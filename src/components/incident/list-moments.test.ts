import { describe, expect, it } from 'vitest';

import type { Breadcrumb, Incident } from '#src/reports/incident.ts';

import { listMoments } from './list-moments.ts';

function crumb(time: number, fields: Partial<Breadcrumb>): Breadcrumb {
  return { time, side: 'browser', category: 'console', level: 'info', message: '', data: {}, ...fields };
}

function incident(breadcrumbs: Breadcrumb[]): Incident {
  return {
    digest: '0000000000',
    fingerprint: 'f',
    server: undefined,
    browser: [
      {
        eventId: 'e',
        time: 20,
        path: '/',
        name: 'Error',
        message: 'no',
        frames: [],
        componentStack: undefined,
        userAgent: undefined,
        release: undefined,
        traceId: undefined,
      },
    ],
    breadcrumbs,
    occurrences: { total: 1, firstTime: 20, lastTime: 20, bucketMs: 1, buckets: [], others: [] },
  };
}

describe('listMoments', () => {
  it('puts the error among the breadcrumbs of both sides, by time', () => {
    const moments = listMoments(incident([crumb(10, { side: 'server' }), crumb(30, {})]));
    expect(moments.map(({ time, side, isError }) => [time, side, isError])).toEqual([
      [10, 'server', false],
      [20, 'browser', true],
      [30, 'browser', false],
    ]);
    expect(moments[1]?.message).toBe('Error: no');
  });

  it('says what a fetch and a navigation did', () => {
    const data = { method: 'GET', url: '/RSC/R/lab.txt', status_code: '200' };
    const messages = listMoments(
      incident([
        crumb(1, { category: 'fetch', data }),
        crumb(2, { category: 'navigation', data: { from: '/', to: '/lab' } }),
        crumb(3, { category: 'ui.click', message: 'a.link', data }),
      ]),
    ).map((moment) => moment.message);
    expect(messages).toEqual(['GET /RSC/R/lab.txt 200', '/ → /lab', 'a.link', 'Error: no']);
  });

  it('colours a bad breadcrumb as an error, and others by their category', () => {
    const kinds = listMoments(incident([crumb(1, { level: 'error' }), crumb(2, { category: 'navigation' })])).map(
      (moment) => moment.kind,
    );
    expect(kinds).toEqual(['error', 'navigation', 'error']);
  });
});
