import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { App } from '#src/apps/apps.ts';
import type { RecorderPlace } from '#src/apps/set-up-texts.ts';

import { SetUp } from './set-up.tsx';

function show(place: RecorderPlace | undefined): string {
  const keys = { publicKey: 'public', secretKey: 'secret' };
  const app: App = { id: 'shop', name: 'Shop', number: 2, ...keys, record: undefined, allUntil: 0, created: 0 };
  const signs = { flightAt: undefined, errorAt: undefined };
  const html = renderToStaticMarkup(
    <SetUp app={app} place={place} base="https://flight.example" isLoopback={false} signs={signs} now={0} />,
  );
  // A text that is copied may break after each word.
  return html.replaceAll(/<\/?span>/g, '');
}

it('names the data folder in commands for this machine', () => {
  const shown = show({ folder: '/srv/data', port: 3000 });
  expect(shown).toContain('run --app shop --data /srv/data');
  expect(shown).toContain('proxy --to http://127.0.0.1:3001 --port 8080 --app shop --data /srv/data');
});

it('names no folder where the data is in PostgreSQL: it would be that of one server of several', () => {
  const shown = show(undefined);
  expect(shown).not.toContain('--data');
  expect(shown).toContain('FLIGHT_RECORDER=https://secret@flight.example/shop');
  expect(shown).toContain('flight-recorder proxy --to http://127.0.0.1:3000 --port 8080<');
});
