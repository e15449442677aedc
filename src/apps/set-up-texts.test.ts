import { describe, expect, it } from 'vitest';

import { parseDsn } from '#src/server/environment/parse-dsn.ts';
import { sdkEnvelopePath } from '#src/server/http/addresses.ts';

import { parseRecorderUrl } from '#report/recorder-url.ts';
import {
  writeDsn,
  writeProxyCommand,
  writeRecorderLine,
  writeRunCommand,
  writeSentryInit,
  writeSourceMapsCommand,
} from './set-up-texts.ts';

const app = { id: 'shop', secretKey: 'k3y' };

describe('what is copied', () => {
  it('names this server and the key as a sender reads them', () => {
    const { text } = writeRecorderLine(app, 'https://example.org/tools');
    expect(text).toBe('FLIGHT_RECORDER=https://k3y@example.org/tools/shop');
    expect(parseRecorderUrl(text.replace('FLIGHT_RECORDER=', ''))).toEqual({
      base: 'https://example.org/tools',
      app: 'shop',
      key: 'k3y',
    });
  });

  it('names this server and the token as the Sentry CLI reads them', () => {
    const [environment] = writeSourceMapsCommand(app, 'https://example.org/tools', 'flu_x').text.split('\n');
    expect(environment).toBe(
      'export SENTRY_URL=https://example.org/tools SENTRY_AUTH_TOKEN=flu_x SENTRY_ORG=any SENTRY_PROJECT=shop',
    );
  });

  it('is a DSN that SDKs accept, with the key of its side', () => {
    const keys = { number: 7, publicKey: 'pub1', secretKey: 'sec1' };
    const browser = writeDsn(keys, 'browser', 'https://example.org/tools/');
    expect(browser.text).toBe('https://pub1@example.org/tools/7');
    expect(parseDsn(browser.text)?.endpoint).toBe(`https://example.org/tools${sdkEnvelopePath('7')}`);
    expect(writeDsn(keys, 'server', 'http://127.0.0.1:3000').text).toBe('http://sec1@127.0.0.1:3000/7');
    expect(writeSentryInit(browser).text).toBe("Sentry.init({ dsn: 'https://pub1@example.org/tools/7' });");
  });

  it('never has a port at which this server listens', () => {
    const beside = { folder: '/srv/data', port: 4000, program: 'npx flight-recorder' };
    expect(writeRunCommand(app, beside, 'next start').text).toBe(
      'npx flight-recorder run --app shop --data /srv/data -- next start',
    );
    expect(writeProxyCommand(app, beside).text).toContain('--to http://127.0.0.1:3000 --port 8080 --app shop');
    const atUsual = { folder: '/srv/data', port: 3000, program: 'npx /srv/clone' };
    expect(writeRunCommand(app, atUsual, 'npm start').text).toMatch(/^npx \/srv\/clone run .* --port 8080 /);
    expect(writeProxyCommand(app, atUsual).text).toContain('--to http://127.0.0.1:3001');
  });

  it('quotes a folder with a space', () => {
    expect(writeRunCommand(app, { folder: '/my data', port: 1, program: 'npx .' }, 'npm start').text).toContain(
      '--data "/my data" --',
    );
  });
});
