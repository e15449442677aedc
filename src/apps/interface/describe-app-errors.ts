import { countOf } from '#flight';

/** What is kept of an app's errors. Of one that is known from browsers alone, no error was counted, so none is said. */
export function describeAppErrors(errors: number, untrusted: number): string {
  const ofServers = errors > 0 || untrusted === 0 ? [countOf(errors, 'error')] : [];
  const ofBrowsers = untrusted > 0 ? [`${countOf(untrusted, 'error')} from browsers`] : [];
  return [...ofServers, ...ofBrowsers].join(', ');
}
