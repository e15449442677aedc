import 'server-only';

import { ownApp } from '#src/store/own-app.ts';

import type { RecordedFlight } from '../flight/flight-record.ts';
import { readForOperator } from './read-for-operator.ts';
import { readSources } from './sources.ts';

/** What React sends as a row of its own, from this length on, stands at no place that a pattern finds. */
const outlinedLength = 16;

/** In a document the rows are texts of scripts. */
const namedModule = /:I\[(?:\\?"([^"\\]+)\\?"|(\d+))/g;

/** Those that the bytes name: a build has hundreds, a page some tens. */
function pickNamed(body: Uint8Array, files: Iterable<readonly [string, string]>): [id: string, file: string][] {
  const text = new TextDecoder('latin1').decode(body);
  const named = new Set(Array.from(text.matchAll(namedModule), ([, id, number]) => id ?? number));
  const isNamed = (id: string) => named.has(id) || (id.length >= outlinedLength && text.includes(id));
  return [...files].flatMap(([id, file]): [string, string][] => (isNamed(id) ? [[id, file]] : []));
}

function isPair(value: unknown): value is readonly [string, string] {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';
}

async function readBuildModules({ app, build }: RecordedFlight): Promise<readonly (readonly [string, string])[]> {
  if (app === ownApp || build === '') return [];
  return readForOperator([], async (db) => {
    const row = await db
      .selectFrom('build_modules')
      .select('files_json')
      .where('app', '=', app)
      .where('build', '=', build)
      .executeTakeFirst();
    const files: unknown = row && JSON.parse(row.files_json);
    return Array.isArray(files) ? files.filter(isPair) : [];
  });
}

/** Of the client modules that a recorded flight names: the files of those that its build, or this one, knows. */
export async function readSourcesOf(recorded: RecordedFlight): Promise<ReadonlyMap<string, string>> {
  const own = readSources();
  const ofBuild = await readBuildModules(recorded);
  return new Map(own.size + ofBuild.length === 0 ? [] : pickNamed(recorded.body, [...own, ...ofBuild]));
}
