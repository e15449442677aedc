import path from 'node:path';

import { expect, it } from 'vitest';

import { nameProgram } from './server-process.ts';

it.each([
  [path.resolve('data'), false, 'npx flight-recorder'],
  ['/srv/flight-data', false, 'FLIGHT_DATA=/srv/flight-data npx flight-recorder'],
  // A shell would take these for something else.
  ['/srv/flight data', false, 'npx flight-recorder'],
  ['/srv/flight-data', true, 'npx flight-recorder'],
])('commands for the recording in %s, on Windows: %j, are typed as %s', (folder, isWindows, typed) => {
  expect(nameProgram('npx flight-recorder', folder, isWindows)).toBe(typed);
});
