import { start, type StartOptions } from './start.ts';

/**
 * The module as one script, which a proxy adds to pages that know nothing of it. The options are written in the place of the first name
 * (src/command/page-script.ts), the address of the second part in that of the other (src/proxy/page-script).
 */
declare const FLIGHT_OPTIONS: StartOptions;
declare const FLIGHT_SECOND_PART: string;

start(FLIGHT_OPTIONS, () => import(/* @vite-ignore */ FLIGHT_SECOND_PART));
