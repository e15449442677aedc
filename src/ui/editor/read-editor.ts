import 'server-only';

import { unstable_getHeaders as getHeaders } from 'waku/router/server';

import { readSetting } from '#src/server/environment/read-setting.ts';
import { hereHeader } from '#src/server/http/flight-headers.ts';

import type { Editor } from './find-editor-address.ts';

/** Whether who asks sits at the machine that has the sources. */
function isHere(): boolean {
  try {
    return hereHeader in getHeaders();
  } catch {
    // There is no request.
    return false;
  }
}

/** In development, on one's own machine: the editor, and where the sources are. Undefined elsewhere. */
export function readEditor(): Editor | undefined {
  if (!import.meta.env.DEV || !isHere()) return undefined;
  return { template: readSetting('FLIGHT_EDITOR'), folders: globalThis.__FLIGHT_SOURCE_FOLDERS__ ?? [] };
}
