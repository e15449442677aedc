import { ensureInstalled, findNode, root } from './prepare.mjs';
import { runStages } from './run.mjs';
import { checks } from './stages.mjs';

/** `npm run check`: what needs no build, no browser and no database server. */
ensureInstalled();
await runStages(findNode(), checks, { cwd: root });
