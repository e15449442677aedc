/** The id of a request, as a proxy of ours has named it in the answer (`Server-Timing`). Undefined: it has not. */
export function readFlightId({ serverTiming }: PerformanceResourceTiming): string | undefined {
  const id = serverTiming.find(({ name }) => name === 'flight')?.description ?? '';
  return /^[\da-f]{32}$/.test(id) ? id : undefined;
}
