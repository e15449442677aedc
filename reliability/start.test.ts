import { expect, test } from 'vitest';

import { startServer, StartFailure, type StartOptions } from './testing/start-server.ts';

async function failToStart(env: Readonly<Record<string, string>>, options: StartOptions = {}): Promise<StartFailure> {
  try {
    await using server = await startServer({ ...options, env });
    throw new Error(`It listens on ${server.port}`);
  } catch (error) {
    if (error instanceof StartFailure) return error;
    throw error;
  }
}

test('a port that is taken is one line that says so, and status 1', async () => {
  await using first = await startServer();
  const { exit, output } = await failToStart({ PORT: String(first.port) });
  expect(exit).toEqual({ code: 1, signal: null });
  expect(output).toBe(`flight-recorder: cannot listen on 127.0.0.1: port ${first.port} is in use; set PORT to another`);
});

test.each([
  [{ HOST: '0.0.0.0' }, /^flight-recorder: HOST is 0\.0\.0\.0, .*BASE_URL/],
  [{ BASE_URL: 'http://flight.example', FLIGHT_AUTH: 'on' }, /^flight-recorder: BASE_URL is .*FLIGHT_INSECURE=1/],
  [{ BASE_URL: 'https://flight.example' }, /^flight-recorder: FLIGHT_AUTH is off, /],
  [{ PORT: 'http' }, /^flight-recorder: PORT is http/],
  [{ TRUSTED_PROXIES: '10.0.0.0/8,proxy', FLIGHT_AUTH: 'on' }, /^flight-recorder: TRUSTED_PROXIES has proxy, /],
  [{ KEEP_ALIVE_SECONDS: '1.5' }, /^flight-recorder: KEEP_ALIVE_SECONDS is 1\.5/],
])('%j is refused with one line', async (env, line) => {
  const { exit, output } = await failToStart(env);
  expect(exit).toEqual({ code: 1, signal: null });
  expect(output).toMatch(line);
  expect(output).not.toContain('\n');
});

test('all that is wrong with the settings is said at once, each in a line', async () => {
  const { exit, output } = await failToStart({ PORT: 'http', RECORD: 'some', SENTRY_DSN: 'https://secret@sentry' });
  expect(exit).toEqual({ code: 1, signal: null });
  expect(output.split('\n')).toEqual([
    'flight-recorder: PORT is http; it must be a port number, at most 65535',
    'flight-recorder: RECORD is some; it must be all, errors, off, or sample:<share>, like sample:0.1',
    'flight-recorder: SENTRY_DSN is not of the form https://<key>@<host>/<project number>',
  ]);
});

test('another folder than that of the build is refused, or pages would come without their styles and scripts', async () => {
  const { exit, output } = await failToStart({}, { folder: import.meta.dirname });
  expect(exit).toEqual({ code: 1, signal: null });
  expect(output).toMatch(
    /^flight-recorder: there is no build at \S+public; run this from the folder that holds "dist"$/,
  );
});
