import { hasRootValue } from '../payload-reader.ts';

import { noFacts, type FrameworkRecord } from './framework-record.ts';

/** Source: RedwoodSDK 1, client.js in rwsdk 1.7. */
export const redwoodSdk = {
  name: 'redwood',
  label: 'RedwoodSDK',
  rootShapes: [['node', 'actionResult']],
  scriptSign: '__RWSDK_CONTEXT',
  readFacts: (reader) => ({ ...noFacts, purpose: hasRootValue(reader, 'actionResult') ? 'action' : 'page' }),
  modulePath: /node_modules[/\\]rwsdk[/\\]/,
  askPayload(page) {
    const url = new URL(page);
    url.searchParams.set('__rsc', '');
    return { url: url.href, headers: [] };
  },
} as const satisfies FrameworkRecord;
