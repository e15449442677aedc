import type { Framework } from './expected-exchange.ts';
import { next14, next15, next16, next16Cache } from './next.ts';
import { parcel } from './parcel.ts';
import { pluginRsc } from './plugin-rsc.ts';
import { reactRouter7, reactRouter8 } from './react-router.ts';
import { redwoodSdk } from './redwood-sdk.ts';
import { tanstackStart } from './tanstack-start.ts';
import { waku } from './waku.ts';

export const frameworks: readonly Framework[] = [
  next16,
  next16Cache,
  next15,
  next14,
  reactRouter8,
  reactRouter7,
  waku,
  pluginRsc,
  parcel,
  redwoodSdk,
  tanstackStart,
];
