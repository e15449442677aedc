/**
 * The address the SDKs are given. They refuse to work without one, but nothing is ever sent to it: on the server the
 * transport is a function call, in the browser the tunnel path stands in. It names this app's own store; where reports
 * are forwarded to besides is the server's business alone (`SENTRY_DSN`).
 */
export const localDsn = 'http://f119847ec04de40000000000000000a5@127.0.0.1/1';
