/**
 * How the addresses of the product begin, for the lint rule `house/addresses`. src/server/http/addresses.test.ts compares them with
 * src/server/http/addresses.ts, which oxlint's own process cannot import.
 */
export const productPaths = [
  '_api',
  'about',
  'alerts',
  'api',
  'apps',
  'csp-report',
  'decode',
  'digest',
  'errors',
  'faults',
  'favicon.svg',
  'feedback',
  'flights',
  'guard',
  'healthz',
  'lab',
  'login',
  'logout',
  'metrics',
  'not-kept',
  'operator',
  'protocol',
  'readyz',
  'runtime',
  'scrubbing',
  'tunnel',
];
