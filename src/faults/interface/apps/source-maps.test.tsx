import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import type { App } from '#src/apps/apps.ts';
import type { ApiToken, MadeToken } from '#src/access/tokens.ts';

import { SourceMaps } from './source-maps.tsx';

vi.mock('#src/faults/actions/delete-source-maps.ts', () => ({ deleteSourceMaps: async () => undefined }));
vi.mock('#src/apps/actions/make-upload-token.ts', () => ({ makeUploadToken: async () => undefined }));
vi.mock('#src/access/actions/revoke-api-token.ts', () => ({ revokeApiToken: async () => undefined }));
vi.mock('#src/faults/source-maps/keep-app-maps.ts', () => ({ areMapsKept: (app: string) => app === 'beside' }));

const token: ApiToken = {
  id: '12345678',
  allows: 'upload',
  name: 'CI',
  apps: ['shop'],
  created: 0,
  expires: Date.UTC(2030, 0, 2),
  lastUsed: undefined,
};

function show(id: string, made?: MadeToken): string {
  const keys = { publicKey: 'public', secretKey: 'secret' };
  const app: App = { id, name: id, number: 2, ...keys, record: undefined, allUntil: 0, created: 0 };
  const uploads = { releases: [], more: 0 };
  const tokens = made?.type === 'made' ? [made.token] : [];
  const given = { app, base: 'https://flight.example', uploads, tokens, made, now: 0 };
  return renderToStaticMarkup(<SourceMaps {...given} />);
}

it('shows a token that was just made in the commands, and the secret key never', () => {
  const before = show('shop');
  expect(before).toContain('SENTRY_AUTH_TOKEN=flu_…');
  expect(before).not.toContain('secret');
  const secret = `flu_12345678_${'x'.repeat(43)}`;
  const html = show('shop', { type: 'made', token, secret });
  expect(html.replaceAll(/<[^>]+>/g, '')).toContain(`SENTRY_AUTH_TOKEN=${secret}`);
  expect(html).toContain('uploads source maps of shop');
  expect(html).toContain('Revoke CI');
  expect(html).toContain('ends 2030-01-02');
  expect(show('shop', { type: 'refused', problem: 'name' })).toContain('No token was made');
});

it('says how to upload, except for an app beside this server, whose builds are kept', () => {
  expect(show('shop')).toContain('SENTRY_PROJECT');
  expect(show('beside')).not.toContain('SENTRY_PROJECT');
  expect(show('beside')).toContain('Nothing has to be uploaded');
});
