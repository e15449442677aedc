/**
 * `flight-recorder/next`: in `instrumentation.ts`, `export { onRequestError } from 'flight-recorder/next'`.
 *
 * Next compiles that file for the edge runtime too, where there is no Node. Next writes `NEXT_RUNTIME` into the code when it
 * builds, so what stands behind this comparison is not even part of the edge bundle.
 */
export async function onRequestError(error: unknown, request: unknown, context: unknown): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { reportRequestError } = await import('./report-request-error.ts');
    reportRequestError(error, request, context);
  }
}
