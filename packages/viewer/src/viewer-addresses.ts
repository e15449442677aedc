import { createContext, useContext } from 'react';

import type { SourcePlace } from '#flight';

/** Pages that the viewer leads to, where there is a server that has them. A file that was saved has none: no link is shown then. */
export type ViewerAddresses = {
  /** What each token of the protocol means, by anchor. */
  readonly protocol?: string;
  /** Where a digest is looked up. */
  readonly lookUp?: string;
  /** In a file with several flights: which one, as the address says it before the viewer's own part. */
  readonly inFile?: string;
  /** In development, for who sits at the machine: what opens a source in the editor; undefined for one that is not there. */
  readonly openSource?: (place: SourcePlace) => string | undefined;
};

export const ViewerAddressesContext = createContext<ViewerAddresses>({});

export function useAddresses(): ViewerAddresses {
  return useContext(ViewerAddressesContext);
}
