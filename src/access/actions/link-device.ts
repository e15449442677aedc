'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { makeDeviceLink } from '#src/access/device-link.ts';
import { requireOperator } from '#src/access/require-operator.ts';

/** The page that answers shows the link, this once. */
export async function linkDevice(): Promise<void> {
  requireOperator();
  await makeDeviceLink();
  rerenderRoute();
}
