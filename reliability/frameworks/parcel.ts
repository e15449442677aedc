import { listBareExchanges } from './bare.ts';
import type { Framework } from './expected-exchange.ts';

/** @parcel/rsc brings the server's and the client's half of a request. The addresses are the app's. */
export const parcel: Framework = {
  name: 'parcel',
  sources: ['bare', 'parcel'],
  framework: 'parcel',
  start: ['dist/server.js', '$PORT'],
  // No digest of its own: without an `onError`, each one is empty.
  digest: /^$/,
  exchanges: listBareExchanges({
    // The address is the page's. Only `Accept` tells the payload from the page.
    target: (path) => new RegExp(`^${path}$`),
    requestHeaders: { accept: /^text\/x-component$/ },
    contentType: 'text/x-component',
    actionId: { from: 'rsc-action-id', shape: /^([0-9A-Za-z]+#(?:greet|fail))$/ },
    action: { body: /^0:\{"result":"\$@1","root":/m },
    actionError: { digests: 'empty' },
    documentError: { contentType: null, content: 'none', body: /^<h1>Something went wrong!<\/h1>$/ },
  }),
};
