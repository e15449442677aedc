import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'vite';
import { expect, test } from 'vitest';

import { setAddresses } from './vite.ts';

type Addresses = typeof import('#src/server/http/waku-addresses.ts');

/** The module as it is in the build of an app. */
async function useAddresses(waku: string, rsc: string, use: (addresses: Addresses) => void): Promise<void> {
  const outDir = await mkdtemp(path.join(tmpdir(), 'set-addresses-'));
  try {
    await build({
      configFile: false,
      logLevel: 'silent',
      plugins: [setAddresses({ mount: '/_flight', waku, rsc })],
      build: {
        outDir,
        lib: {
          entry: path.join(import.meta.dirname, '../../server/http/waku-addresses.ts'),
          formats: ['es'],
          fileName: () => 'addresses.mjs',
        },
      },
    });
    const addresses: Addresses = await import(pathToFileURL(path.join(outDir, 'addresses.mjs')).href);
    use(addresses);
  } finally {
    rmSync(outDir, { recursive: true });
  }
}

test('an app has its payloads, slices and actions below its own two bases', async () => {
  await useAddresses('/shop', 'api/rsc.v1', (addresses) => {
    expect(addresses.toPayloadPath('/cart')).toBe('/shop/api/rsc.v1/R/cart.txt');
    expect(addresses.fromPayloadPath('/shop/api/rsc.v1/R/cart.txt')).toBe('/cart');
    expect([addresses.slicePrefix, addresses.actionPrefix]).toEqual(['/shop/api/rsc.v1/S/', '/shop/api/rsc.v1/F/']);
    expect(addresses.actionPattern.test('/shop/api/rsc.v1/_F/a/b.txt')).toBe(true);
    expect(addresses.actionPattern.test('/shop/api/rsc-v1/F/a/b.txt')).toBe(false);
    expect(addresses.flightUrlPattern.test('https://shop.example/shop/api/rsc.v1/R/cart.txt?query=a%3D1')).toBe(true);
    expect(addresses.flightUrlPattern.test('https://shop.example/shop/RSC/R/cart.txt?query=a%3D1')).toBe(false);
    expect([addresses.appHomePath, addresses.assetPrefix]).toEqual(['/shop/', '/shop/assets/']);
  });
});
