import { vi } from 'vitest';

import { dataFolder } from '#src/store/data-folder.ts';

import { databaseOf } from './databases.ts';

/**
 * Tests of the recorder run as they are: where they record into a folder, it is into the database that stands for the folder.
 */
type Recorder = typeof import('#src/flights/recorder/recorder.ts');
type Reader = typeof import('#src/flights/recorder/flights-reader.ts');

vi.mock('#src/flights/recorder/recorder.ts', async (load) => {
  const recorder = await load<Recorder>();
  const startRecorder: Recorder['startRecorder'] = async (options) => {
    vi.stubEnv('DATABASE_URL', await databaseOf(dataFolder()));
    return recorder.startRecorder(options);
  };
  return { ...recorder, startRecorder };
});

vi.mock('#src/flights/recorder/flights-reader.ts', async (load) => {
  const reader = await load<Reader>();
  const closeFlightsReader: Reader['closeFlightsReader'] = async (folder = dataFolder()) =>
    reader.closeFlightsReader(await databaseOf(folder));
  return { ...reader, closeFlightsReader };
});
