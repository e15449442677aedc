import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { App } from '#src/apps/apps.ts';
import type { RecorderPlace } from '#src/apps/set-up-texts.ts';

import type { AppSigns } from './read-app-state.ts';
import { FirstStep } from './first-step.tsx';
import { SetUp } from './set-up.tsx';
import type { Way } from '#src/apps/interface/way.ts';

const nothing: AppSigns = { flightAt: undefined, errorAt: undefined, untrustedAt: undefined };

const keys = { publicKey: 'public', secretKey: 'secret' };
const app: App = { id: 'shop', name: 'Shop', number: 2, ...keys, record: undefined, allUntil: 0, created: 0 };
const base = 'https://flight.example';

function show(place: RecorderPlace | undefined): string {
  const html = renderToStaticMarkup(<SetUp app={app} place={place} base={base} isLoopback={false} />);
  // A text that is copied may break after each word.
  return html.replaceAll(/<\/?span>/g, '');
}

function showFirst(way: Way, place: RecorderPlace | undefined, signs = nothing): string {
  return renderToStaticMarkup(<FirstStep {...{ way, app, place, base, signs }} now={0} />).replaceAll(/<\/?span>/g, '');
}

it.each([
  ['next', 'onRequestError', 'Sentry.init'],
  ['waku', 'flightRecorder()', 'Sentry.init'],
  ['rsc', 'createReporter', 'Sentry.init'],
  ['browser', 'https://public@flight.example/2', 'FLIGHT_RECORDER='],
  ['server', 'https://secret@flight.example/2', 'FLIGHT_RECORDER='],
  ['any', '-- npm start', 'FLIGHT_RECORDER='],
] as const)('begins for %s with what such an app needs, and nothing else', (way, needed, other) => {
  const shown = showFirst(way, { folder: '/srv/data', port: 3000, program: 'npx flight-recorder' });
  expect(shown).toContain(needed);
  expect(shown).not.toContain(other);
  expect(shown.match(/aria-current="true"/g)).toHaveLength(1);
});

it('names both things that a Waku app needs', () =>
  expect(showFirst('waku', undefined)).toContain('&lt;FlightRecorder&gt;'));

it('folds all other ways', () => expect(show(undefined)).toMatch(/^<details><summary>/));

it('names the data folder in commands for this machine', () => {
  const shown = show({ folder: '/srv/data', port: 3000, program: 'npx flight-recorder' });
  expect(shown).toContain('run --app shop --data /srv/data');
  expect(shown).toContain('proxy --to http://127.0.0.1:3001 --port 8080 --app shop --data /srv/data');
});

it('names no folder where the data is in PostgreSQL: it would be that of one server of several', () => {
  const shown = show(undefined);
  expect(shown).not.toContain('--data');
  expect(shown).toContain('FLIGHT_RECORDER=https://secret@flight.example/shop');
  expect(shown).toContain('flight-recorder proxy --to http://127.0.0.1:3000 --port 8080<');
});

it('says of an app that browsers alone told of what came, and that no server has told anything', () => {
  expect(showFirst('any', undefined)).toContain('Waiting for the first error');
  const untrusted = showFirst('any', undefined, { ...nothing, untrustedAt: 0 });
  expect(untrusted).toContain('Errors of browsers come: the latest');
  expect(untrusted).toContain('No server has reported an error yet.');
  const told = showFirst('any', undefined, { ...nothing, untrustedAt: 0, errorAt: 0 });
  expect(told).toContain('Errors come: the latest');
  expect(told).not.toContain('No server has told');
});
