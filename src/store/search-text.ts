import { isRecord } from '#boundary';

/**
 * What is searched of an error, as one text. Bounded: a whole row is at most 150 KiB, and what somebody remembers of an error
 * is at its beginning. Each character costs some 30 ns when the row is stored.
 */
const searched = { message: 2_000, stack: 8_000, list: 3_000, item: 200 } as const;
/** The innermost frames, the causes next to it, the latest breadcrumbs. */
const itemsSearched = { frames: 15, causes: 5, breadcrumbs: 10 } as const;

export type SearchedRow = {
  readonly name: string;
  readonly message: string;
  /** Empty for an untrusted error. */
  readonly route: string;
  readonly path: string;
  readonly release: string;
  readonly environment: string;
  readonly frames_json: string;
  readonly causes_json: string;
  readonly breadcrumbs_json: string;
  readonly tags_json: string;
};

/** Our own writers write JSON. Whatever else is there must not keep a row from being stored. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function cut(value: unknown, limit: number = searched.item): string {
  return typeof value === 'string' ? value.slice(0, limit) : '';
}

/** Each text once: the frames of one file, and the same request again and again, say nothing more. */
function join(texts: readonly string[]): string {
  return [...new Set(texts)].join(' ').slice(0, searched.list);
}

function readList(json: string): readonly Readonly<Record<string, unknown>>[] {
  const list = parse(json);
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function readFrames(json: string): string[] {
  return readList(json)
    .slice(0, itemsSearched.frames)
    .flatMap(({ fn, source, file }) => [cut(fn), cut(source ?? file)]);
}

function readCauses(json: string): string[] {
  return readList(json)
    .slice(0, itemsSearched.causes)
    .flatMap(({ name, message }) => [cut(name), cut(message, searched.message)]);
}

/** `    at addItem (src/cart.ts:7:3)`, and a browser's `addItem@src/cart.ts:7:3`, without their positions. */
const frameLine = /^\s*at (.{1,400}?)(?::\d+){0,2}\)?$|^(\S{0,200}@\S{1,200}?)(?::\d+){1,2}$/;

/** A cause has its frames in the text of its stack. The innermost come first; its first lines are its message. */
function readCauseFrames(json: string): string[] {
  return readList(json)
    .slice(0, itemsSearched.causes)
    .flatMap(({ stack }) =>
      cut(stack, searched.stack)
        .split('\n')
        .flatMap((line) => {
          const [, ours, browsers] = frameLine.exec(line) ?? [];
          return cut(ours ?? browsers) || [];
        })
        .slice(0, itemsSearched.frames),
    );
}

/** Requests, navigations: their address is here where the SDK wrote no message. */
function readBreadcrumbs(json: string): string[] {
  return readList(json)
    .slice(-itemsSearched.breadcrumbs)
    .flatMap(({ message, data }) => {
      const { url, to } = isRecord(data) ? data : {};
      return [cut(message), cut(url), cut(to)];
    });
}

function readTags(json: string): string[] {
  const tags = parse(json);
  return isRecord(tags) ? Object.entries(tags).map(([name, value]) => `${cut(name)} ${cut(value)}`) : [];
}

export function writeSearchText(row: SearchedRow): string {
  const { name, message, route, path, release, environment } = row;
  return [
    name,
    cut(message, searched.message),
    cut(route),
    cut(path),
    cut(release),
    cut(environment),
    join(readFrames(row.frames_json)),
    join(readCauses(row.causes_json)),
    join(readCauseFrames(row.causes_json)),
    join(readBreadcrumbs(row.breadcrumbs_json)),
    join(readTags(row.tags_json)),
  ].join('\n');
}
