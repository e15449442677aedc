import { noFacts, type FrameworkRecord } from './framework-record.ts';

/** Its payloads are values of its own format, and its client asks for no page's payload. Source: TanStack Start 1.169. */
export const tanstackStart = {
  name: 'tanstack-start',
  label: 'TanStack Start',
  rootShapes: [['__tanstackStartRscValue']],
  pageSource: { source: 'tanstack-start', because: 'the page hands it over in $_TSR' },
  scriptSign: '$_TSR',
  readFacts: () => noFacts,
  modulePath: /node_modules[/\\]@tanstack[/\\]/,
} as const satisfies FrameworkRecord;
