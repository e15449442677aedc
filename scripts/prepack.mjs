import { ensureBuilt, ensureServable, ensureMounted, findNode } from './prepare.mjs';

/** Before `npm pack`: a packed one cannot build itself. */
ensureServable();
ensureBuilt(findNode());
ensureMounted(findNode());
