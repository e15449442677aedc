import type { BrowserOptions } from '@sentry/react';

/**
 * Unless told otherwise, the SDKs collect nearly everything: cookies, headers, bodies, user data, query values. An
 * error report needs none of it. What a report still contains is scrubbed again by the receiver.
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
