import { readAt, readRootKeys, textOf, type PayloadReader } from '../payload-reader.ts';

import { noFacts, type FrameworkRecord, type PayloadRequest, type RootFacts } from './framework-record.ts';

const slotKey = /^(?:layout|page|route|slice):/;

/** Of an app that keeps the usual `rscBase`. */
const payloads = '/RSC/R/';

function readFacts(reader: PayloadReader): RootFacts {
  const isStatic = readAt(reader, reader.root, 'IS_STATIC')?.value;
  return {
    ...noFacts,
    path: textOf(readAt(reader, readAt(reader, reader.root, 'ROUTE'), 0)),
    isStatic: isStatic?.kind === 'boolean' ? isStatic.value : undefined,
    build: textOf(readAt(reader, reader.root, '_buildId')),
    purpose: readRootKeys(reader).includes('_value') ? 'action' : 'page',
  };
}

function toPayloadName(pathname: string): string {
  const path = pathname.slice(1).replace(/\/+$/, '');
  if (path === '') return '_root';
  return path.startsWith('_') ? `_${path}` : path;
}

function askPayload(page: string): PayloadRequest {
  const url = new URL(page);
  url.search = new URLSearchParams({ query: url.search.slice(1) }).toString();
  url.pathname = `${payloads}${toPayloadName(url.pathname)}.txt`;
  return { url: url.href, headers: [] };
}

/**
 * Sources: Waku 1.0.0-rc.1, its payloads, client-core-utils/caches.js and rsc-path.js. The modules that Flight Recorder's plugin puts into
 * another Waku app (src/waku/app) are nobody's of that app either, and count with Waku's.
 */
export const waku = {
  name: 'waku',
  label: 'Waku',
  rootShapes: [['ROUTE', 'IS_STATIC'], ['_value'], ['_buildId']],
  findSign(_, rootKeys) {
    const own = rootKeys.find((key) => slotKey.test(key));
    return own && `the root has ${own}`;
  },
  scriptSign: '__WAKU_',
  readFacts,
  modulePath: /node_modules[/\\](?:waku[/\\]|flight-recorder[/\\]dist[/\\]waku[/\\])/,
  moduleExports: new Set([
    'Slot_UNSTABLE',
    'Children_UNSTABLE',
    'FlightRecorderRuntime',
    'FlightRecorderPageBoundary',
    'FlightRecorderLink',
    'FlightRecorderPlainLink',
  ]),
  askPayload,
} as const satisfies FrameworkRecord;
