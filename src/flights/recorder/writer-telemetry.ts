import { readSetting } from '#src/server/environment/read-setting.ts';
import { writeLog } from '#src/server/http/log.ts';
import { createCountsBuffer, openCounts, type TelemetryCounts } from '#src/flights/telemetry/counts.ts';
import { chooseTelemetry } from '#src/flights/telemetry/settings.ts';

import type { WriterData } from '../writer/messages.ts';

/** Of this process: a thread that is started again goes on counting. */
let buffer: SharedArrayBuffer | undefined;

/** What became of what was told to others; undefined where nobody is told. */
export function readTelemetryCounts(): TelemetryCounts | undefined {
  return buffer && openCounts(buffer);
}

/** What is only on its way to a recorder elsewhere is told by that one. */
export function chooseWriterTelemetry({ shipTo }: WriterData): WriterData['telemetry'] {
  if (shipTo) return undefined;
  const choice = chooseTelemetry(readSetting);
  switch (choice.type) {
    case 'off':
      return undefined;
    case 'unfit':
      writeLog('warn', 'telemetry-off', { reason: choice.reason });
      return undefined;
    case 'on':
      buffer ??= createCountsBuffer();
      return { settings: choice.settings, counts: buffer };
  }
}
