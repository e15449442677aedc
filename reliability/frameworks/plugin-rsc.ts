import { listBareExchanges } from './bare.ts';
import type { Framework } from './expected-exchange.ts';

/** The plugin has no conventions. These are its starter's, which apps begin with. */
export const pluginRsc: Framework = {
  name: 'plugin-rsc',
  sources: ['bare', 'plugin-rsc'],
  framework: 'vite-rsc',
  start: ['node_modules/vite/bin/vite.js', 'preview', '--host', '127.0.0.1', '--strictPort', '--port', '$PORT'],
  // No digest of its own: without an `onError`, each one is empty.
  digest: /^$/,
  exchanges: listBareExchanges({
    target: (path) => new RegExp(`^${path}_\\.rsc$`),
    contentType: 'text/x-component;charset=utf-8',
    actionId: { from: 'x-rsc-action', shape: /^([0-9a-f]{12}#(?:greet|fail))$/ },
    action: { body: /"returnValue":\{"ok":true,"data":"Hello Ada"\}/ },
    // The error is a value in the payload, not an error row.
    actionError: { status: 500, digests: 'none', body: /"returnValue":\{"ok":false,"data":"\$Z"\}\}/ },
    documentError: { digests: 'empty' },
  }),
};
