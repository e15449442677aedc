import type { ViewerAddresses } from '#viewer/viewer-addresses.ts';

/** In place of decode/viewer-addresses.ts: there is no server that has other pages. */
export const viewerAddresses: ViewerAddresses = {};
