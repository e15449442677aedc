import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import type { App } from '#src/apps/apps.ts';

import { SourceMaps } from './source-maps.tsx';

vi.mock('#src/actions/delete-source-maps.ts', () => ({ deleteSourceMaps: async () => undefined }));
vi.mock('#src/reports/source-maps/keep-app-maps.ts', () => ({ areMapsKept: (app: string) => app === 'beside' }));

function show(id: string): string {
  const keys = { publicKey: 'public', secretKey: 'secret' };
  const app: App = { id, name: id, number: 2, ...keys, record: undefined, allUntil: 0, created: 0 };
  const uploads = { releases: [], more: 0 };
  return renderToStaticMarkup(<SourceMaps app={app} base="https://flight.example" uploads={uploads} now={0} />);
}

it('says how to upload, except for an app beside this server, whose builds are kept', () => {
  expect(show('shop')).toContain('SENTRY_PROJECT');
  expect(show('beside')).not.toContain('SENTRY_PROJECT');
  expect(show('beside')).toContain('Nothing has to be uploaded');
});
