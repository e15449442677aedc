import { hasRootValue } from '../payload-reader.ts';

import { noFacts, type FrameworkRecord } from './framework-record.ts';

/** An app chooses its own root; this is the one of the starters. Source: @vitejs/plugin-rsc 0.5. */
export const pluginRsc = {
  name: 'vite-rsc',
  label: '@vitejs/plugin-rsc',
  rootShapes: [['root', 'returnValue']],
  readFacts: (reader) => ({ ...noFacts, purpose: hasRootValue(reader, 'returnValue') ? 'action' : 'page' }),
  modulePath: /node_modules[/\\]@vitejs[/\\]/,
  askPayload(page) {
    const url = new URL(page);
    url.pathname += '_.rsc';
    return { url: url.href, headers: [] };
  },
} as const satisfies FrameworkRecord;
