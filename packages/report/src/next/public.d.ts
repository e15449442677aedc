/**
 * Reports errors of a Next.js app to Flight Recorder. In `instrumentation.ts`:
 * `export { onRequestError } from 'flight-recorder/next';`
 *
 * It sends to the address in the environment variable `FLIGHT_RECORDER`, and does nothing without it. It never throws and never
 * delays an answer.
 */
export function onRequestError(error: unknown, request: unknown, context: unknown): Promise<void>;
