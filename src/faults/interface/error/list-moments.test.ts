import { describe, expect, it } from 'vitest';

import type { Breadcrumb, ErrorDetails, Said, StoredError } from '#src/faults/kept/error-details.ts';

import { listMoments } from './list-moments.ts';

function crumb(time: number, fields: Partial<Breadcrumb>): Breadcrumb {
  return { time, side: 'browser', category: 'console', level: 'info', message: '', data: {}, ...fields };
}

const said: Said = { level: 'error', environment: '', sdk: '', user: '', tags: {}, extra: {} };

function details(breadcrumbs: Breadcrumb[]): ErrorDetails {
  return {
    digest: '0000000000',
    app: 'flight-recorder',
    names: 'error',
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
        causes: [],
        said,
      },
    ],
    breadcrumbs,
    fault: null,
    withDigest: 1,
    maybe: [],
    past: [],
    choice: undefined,
    printedToo: [],
    otherFaults: [],
  };
}

const server: StoredError = {
  id: '0000000000',
  app: 'flight-recorder',
  said,
  printedDigest: null,
  framework: '',
  route: '',
  runtime: '',
  digest: '0000000000',
  fingerprint: 'f',
  time: 10,
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/',
  requestId: '',
  traceId: '',
  release: '',
  name: 'Error',
  message: 'the cause',
  stack: '',
  frames: [],
  componentStack: undefined,
  causes: [],
};

describe('listMoments', () => {
  it('puts the error among the breadcrumbs of both sides, by time', () => {
    const moments = listMoments(details([crumb(10, { side: 'server' }), crumb(30, {})]));
    expect(moments.map(({ time, side, isError }) => [time, side, isError])).toEqual([
      [10, 'server', false],
      [20, 'browser', true],
      [30, 'browser', false],
    ]);
    expect(moments[1]?.message).toBe('Error: no');
  });

  it('tells a server error once, however often the browser repeats it', () => {
    const hidden = 'Minified React error #441; visit https://react.dev/errors/441 for the full message';
    const { browser, ...rest } = details([
      crumb(5, { message: 'a line of the page', level: 'error' }),
      crumb(19, { message: `Error: ${hidden}`, level: 'error' }),
      crumb(21, { category: 'sentry.event', message: `Error: ${hidden}`, level: 'error' }),
    ]);
    const reports = browser.map((report) => ({ ...report, message: hidden }));
    const shown = listMoments({ ...rest, server, browser: reports });
    expect(shown.map(({ time, message, isError, kind }) => [time, message, isError, kind])).toEqual([
      [5, 'a line of the page', false, 'error'],
      [10, 'Error: the cause', true, 'error'],
      [20, 'The browser showed the error', false, 'report'],
    ]);
    const browserAlone = listMoments({ ...rest, browser: reports });
    expect(browserAlone.map(({ time }) => time)).toEqual([5, 19, 20, 21]);
  });

  it('keeps what the browser says of its own beside a server error', () => {
    const moments = listMoments({ ...details([]), server });
    expect(moments.map(({ message, isError }) => [message, isError])).toEqual([
      ['Error: the cause', true],
      ['Error: no', true],
    ]);
  });

  it('says what a fetch and a navigation did', () => {
    const data = { method: 'GET', url: '/RSC/R/lab.txt', status_code: '200' };
    const messages = listMoments(
      details([
        crumb(1, { category: 'fetch', data }),
        crumb(2, { category: 'navigation', data: { from: '/', to: '/lab' } }),
        crumb(3, { category: 'ui.click', message: 'a.link', data }),
      ]),
    ).map((moment) => moment.message);
    expect(messages).toEqual(['GET /RSC/R/lab.txt 200', '/ → /lab', 'a.link', 'Error: no']);
  });

  it('colours a bad breadcrumb as an error, and others by their category', () => {
    const kinds = listMoments(details([crumb(1, { level: 'error' }), crumb(2, { category: 'navigation' })])).map(
      (moment) => moment.kind,
    );
    expect(kinds).toEqual(['error', 'navigation', 'error']);
  });
});
