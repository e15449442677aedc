import 'server-only';

import { type AppName, countAppErrors, listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { countAppFlights } from '#src/flights/for-operator/app-counts.ts';

import { exampleDigest } from '#src/ui/example-digest.ts';

/** Each app costs a query. Of more than these, errors alone say what they are built with. */
const askedApps = 8;

/** For a field that takes a digest. @param app whose are looked for; undefined: those of all apps but our own, where there are others */
export async function readExampleDigest(app: string | undefined, names?: readonly AppName[]): Promise<string> {
  const apps = names ?? (await listAppNames());
  const ids = apps.filter(({ id, isOwn }) => (app === undefined ? !isOwn : id === app)).map(({ id }) => id);
  const errors = await countAppErrors();
  const flights = await countAppFlights(ids.slice(0, askedApps));
  return exampleDigest(ids.map((id) => flights.get(id)?.framework ?? errors.get(id)?.framework ?? ''));
}
