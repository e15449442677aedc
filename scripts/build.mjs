import { ensureBuilt, ensureMounted, findNode } from './prepare.mjs';

/** Builds what is stale. `--mounted` builds the interface that other apps mount, too. */
const node = findNode();
ensureBuilt(node);
if (process.argv.includes('--mounted')) ensureMounted(node);
