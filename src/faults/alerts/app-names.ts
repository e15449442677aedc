import 'server-only';

import { readApps } from '#src/apps/apps.ts';
import type { Store } from '#src/store/open-store.ts';
import { ownApp } from '#src/store/own-app.ts';

/** What messages call each app, by its id. */
export async function readAppNames(store: Store): Promise<ReadonlyMap<string, string>> {
  const apps = await readApps(store);
  return new Map([[ownApp, 'Flight Recorder'], ...apps.map(({ id, name }) => [id, name] as const)]);
}
