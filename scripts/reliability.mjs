import { prepareStages } from './prepare-stages.mjs';
import { createClock, runStages } from './run.mjs';
import { buildAll, reliability } from './stages.mjs';

/** `npm run test:reliability [<file> …]`: all of it, each test as long as a night has room for; or the files that are named. */
const clock = createClock();
const { node, options } = await prepareStages(clock);
await runStages(node, [buildAll, reliability(undefined, process.argv.slice(2))], options, clock);
