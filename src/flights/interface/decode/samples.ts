import { importPart } from '#viewer/import-part.ts';

import type { Input } from './use-files.ts';

/** Payloads that frameworks really sent: copies of the decoder's fixtures. Each is loaded when it is asked for. */
export const samples = [
  {
    name: 'A page of Next.js',
    load: () => import('./samples/next.rsc?raw'),
  },
  {
    name: 'A page of Waku',
    load: () => import('./samples/waku.rsc?raw'),
  },
  {
    name: 'A page of React Router',
    load: () => import('./samples/react-router.rsc?raw'),
  },
  {
    name: 'A page of Parcel',
    load: () => import('./samples/parcel.html?raw'),
  },
  {
    name: 'A page of RedwoodSDK',
    load: () => import('./samples/redwood.html?raw'),
  },
  {
    name: 'A page of TanStack Start',
    load: () => import('./samples/tanstack-start.html?raw'),
  },
  {
    name: 'A page that failed',
    load: () => import('./samples/failed.rsc?raw'),
  },
] as const;

export type Sample = (typeof samples)[number];

/** @throws when it cannot be loaded */
export async function openSample({ name, load }: Sample): Promise<Input> {
  const { default: text } = await importPart<{ readonly default: string }>(load);
  return { name, blob: new Blob([text]), isPasted: false };
}
