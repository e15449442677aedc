import type { BrowserOptions } from '@sentry/react';

/**
 * The SDKs collect nearly everything unless told otherwise: cookies, headers, bodies, user data, query values. An error
 * report needs none of it. What a report still carries is scrubbed again where it is received.
 */
export const dataCollection: NonNullable<BrowserOptions['dataCollection']> = {
  userInfo: false,
  cookies: false,
  httpHeaders: false,
  httpBodies: [],
  urlQueryParams: false,
  graphQL: { document: false, variables: false },
  genAI: { inputs: false, outputs: false },
  mcp: { inputs: false, outputs: false },
  databaseQueryData: false,
  queues: false,
  stackFrameVariables: false,
};
