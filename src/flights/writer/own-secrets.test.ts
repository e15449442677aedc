import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { chooseSecrets, readOwnSecrets } from './own-secrets.ts';

function names(variables: Readonly<Record<string, string>>): string[] {
  return chooseSecrets(variables).map(({ name }) => name);
}

it('takes what its name calls secret, and addresses with a password', () => {
  expect(chooseSecrets({ SESSION_SECRET: 'kf93-jd02-xm', DATABASE_URL: 'postgres://shop:Gq7xLp2vT@db/shop' })).toEqual([
    { name: 'SESSION_SECRET', value: 'kf93-jd02-xm' },
    { name: 'DATABASE_URL', value: 'postgres://shop:Gq7xLp2vT@db/shop' },
    { name: 'DATABASE_URL', value: 'Gq7xLp2vT' },
  ]);
});

it.each(['NEXT_PUBLIC_API_KEY', 'VITE_API_KEY', 'WAKU_PUBLIC_API_KEY', 'STRIPE_PUBLISHABLE_KEY', 'SUPABASE_ANON_KEY'])(
  '%s is for browsers',
  (name) => {
    expect(names({ [name]: 'kf93-jd02-xm' })).toEqual([]);
    // And so is the same value under another name.
    expect(names({ [name]: 'kf93-jd02-xm', API_KEY: 'kf93-jd02-xm' })).toEqual([]);
  },
);

it('leaves out what is short, ordinary, a path or no secret by its name', () => {
  const values = ['short1', 'production', 'shop-staging-eu', '12345678901', 'true', '/run/secrets/key', './keys/a.pem'];
  for (const value of values) expect(names({ API_KEY: value })).toEqual([]);
  expect(
    names({ HOSTNAME: 'web-1a2b3c4d5e', SITE_URL: 'https://shop.example/x', API_KEY_URL: 'https://shop.example/x' }),
  ).toEqual([]);
  expect(names({ SSH_AUTH_SOCK: '/tmp/x1:2', SESSION_MANAGER: 'local/host:@/tmp/x' })).toEqual([]);
});

it('reads the files that frameworks read, over which the environment wins', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'flight-own-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, '.env'), 'API_KEY=from-file-1\nTOKEN_A="of file 2"\n');
  writeFileSync(path.join(folder, '.env.local'), 'TOKEN_B=of-local-3\n');
  expect(readOwnSecrets({ API_KEY: 'from-env-4x' }, folder)).toEqual([
    { name: 'API_KEY', value: 'from-env-4x' },
    { name: 'TOKEN_A', value: 'of file 2' },
    { name: 'TOKEN_B', value: 'of-local-3' },
  ]);
  expect(readOwnSecrets({}, path.join(folder, 'none'))).toEqual([]);
});
