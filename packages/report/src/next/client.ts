import { start } from '../browser/index.ts';

/**
 * `flight-recorder/next/client`: `import 'flight-recorder/next/client'` in `instrumentation-client.ts`, which Next.js runs before
 * anything of the page. Next writes these variables into the code when it builds.
 */
start({
  to: process.env.NEXT_PUBLIC_FLIGHT_RECORDER,
  release: process.env.NEXT_PUBLIC_FLIGHT_RELEASE,
});
