import { ensureBuilt, ensureInstalled, ensureMounted, findNode } from './prepare.mjs';

/** Before `npm pack`: a packed one cannot build itself. */
ensureInstalled();
ensureBuilt(findNode());
ensureMounted(findNode());
