import { listAppNames } from '#src/apps/for-operator/read-apps.ts';
import { OwnPages } from '#src/ui/own-pages.tsx';

/** Tells the header whether other apps are recorded, on a page of the operator that needs no list of them. */
export async function KnownApps() {
  return <OwnPages isAlone={(await listAppNames()).length === 1} />;
}
