import { lookUpPath, protocolPath } from '#src/server/http/addresses.ts';
import type { ViewerAddresses } from '#viewer/viewer-addresses.ts';

/** Of this server. */
export const viewerAddresses: ViewerAddresses = { protocol: protocolPath, lookUp: lookUpPath };
