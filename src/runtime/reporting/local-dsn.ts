/**
 * The address that the SDKs are given. They refuse to work without one, but nothing is ever sent to it. On the server
 * the transport is a function call; in the browser it is the tunnel path. The address names this app's own store. Only
 * the server knows where reports are also forwarded (`SENTRY_DSN`).
 */
export const localDsn = 'http://f119847ec04de40000000000000000a5@127.0.0.1/1';
