import { readRootKeys } from '../payload-reader.ts';

import { noFacts, type FrameworkRecord } from './framework-record.ts';

/** Source: Parcel 2.16 and its starter. */
export const parcel = {
  name: 'parcel',
  label: 'Parcel',
  rootShapes: [['result', 'root']],
  findModuleSign: ({ bundler }) => (bundler === 'parcel' ? 'a client module has Parcel’s metadata' : undefined),
  scriptSign: 'parcelRequire',
  readFacts: (reader) => ({ ...noFacts, purpose: readRootKeys(reader).includes('result') ? 'action' : 'page' }),
  modulePath: /node_modules[/\\]@parcel[/\\]/,
  askPayload: (page) => ({ url: page, headers: [['Accept', 'text/x-component']] }),
} as const satisfies FrameworkRecord;
