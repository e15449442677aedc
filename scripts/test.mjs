import { prepareStages } from './prepare-stages.mjs';
import { createClock, runStages } from './run.mjs';
import { daily } from './stages.mjs';

/** `npm test`: what guards daily work. `npm run test:all` is everything. */
const clock = createClock();
const { node, options } = await prepareStages(clock);
await runStages(node, daily, options, clock);
