import 'server-only';

import { formatPolicy, readPolicy } from '#src/apps/policy.ts';
import { countAppUntrusted, countAppErrors, listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { appPath } from '#src/server/http/addresses.ts';
import { countAppFlights } from '#src/flights/for-operator/app-counts.ts';
import { listKept } from '#src/flights/for-operator/list-kept.ts';
import { readRecordingState } from '#src/flights/recorder/recorder.ts';
import { readSetting } from '#src/server/environment/read-setting.ts';

import type { ApiAnswer, ApiQuestion } from '../answer.ts';
import { mayReadApp } from '../scope.ts';
import type { Apps } from '../schemas/apps.ts';
import { toTimeOrNull } from '../schemas/values.ts';

export async function listApps({ access, origin }: ApiQuestion): Promise<ApiAnswer> {
  const names = (await listAppNames()).filter(({ id }) => mayReadApp(access, id));
  const [errors, untrusted] = [await countAppErrors(), await countAppUntrusted()];
  const flights = await countAppFlights(names.map(({ id }) => id));
  const kept = await listKept();
  const standard = readRecordingState()?.policy ?? readPolicy(readSetting);
  const body: Apps = {
    apps: names.map(({ id, name, isOwn }) => {
      const [ofErrors, ofUntrusted, ofFlights] = [errors.get(id), untrusted.get(id), flights.get(id)];
      return {
        id,
        name,
        isOwn,
        errors: ofErrors?.errors ?? 0,
        lastErrorAt: toTimeOrNull(ofErrors?.lastAt),
        untrusted: ofUntrusted?.untrusted ?? 0,
        lastUntrustedAt: toTimeOrNull(ofUntrusted?.lastAt),
        flights: ofFlights?.flights ?? 0,
        record: formatPolicy(isOwn ? standard : (kept.get(id)?.now ?? standard)),
        lastFlightAt: toTimeOrNull(ofFlights?.lastAt),
        framework: ofFlights?.framework ?? (ofErrors?.framework || null),
        page: origin + appPath(id),
      };
    }),
  };
  return { type: 'json', body };
}
