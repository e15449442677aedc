import type { CheckFinding } from './check-finding.ts';
import type { Visitor } from './visit-site.ts';

/** What a site's scripts tell everybody: which versions it runs, and, with a public source map, its source. */

/** The framework's own are among the first of a page. */
const maxScripts = 4;
const maxMaps = 2;

/** As the build writes them: Next.js into `window.next`, React into what its developer tools read. */
const signs: readonly (readonly [name: string, sign: RegExp])[] = [
  ['Next.js', /window\.next\s*=\s*\{version:"(\d{1,4}\.\d{1,4}\.\d{1,4}[\w.-]{0,60})"/],
  ['React', /version:"(\d{1,4}\.\d{1,4}\.\d{1,4}[\w.-]{0,60})",rendererPackageName:"react-dom"/],
];

const mapComment = /\/\/[#@] sourceMappingURL=(\S{1,2048})\s*$/;

export type ScriptFacts = {
  /** By name: `Next.js` is `16.4.6`. */
  readonly versions: ReadonlyMap<string, string>;
  readonly findings: readonly CheckFinding[];
};

const utf8 = new TextDecoder();

/** Whether an address answers with a source map that names sources. */
async function isSourceMap(visitor: Visitor, url: URL): Promise<boolean> {
  const map = await visitor.get(url, []);
  if (map.kind !== 'answer' || map.answer.status !== 200) return false;
  const start = utf8.decode(map.answer.bytes.subarray(0, 64 * 1024));
  return /^\s*\{/.test(start) && /"(?:mappings|sources|sections)"\s*:/.test(start);
}

export async function judgeScripts(visitor: Visitor, scripts: readonly URL[]): Promise<ScriptFacts> {
  const versions = new Map<string, string>();
  const maps: URL[] = [];
  for (const url of scripts.slice(0, maxScripts)) {
    const visited = await visitor.get(url, []);
    if (visited.kind !== 'answer' || visited.answer.status !== 200) continue;
    const code = utf8.decode(visited.answer.bytes);
    for (const [name, sign] of signs) {
      const version = sign.exec(code)?.[1];
      if (version !== undefined) versions.set(name, version);
    }
    const named = mapComment.exec(code)?.[1] ?? `${url.pathname}.map`;
    if (!named.startsWith('data:') && URL.canParse(named, url)) maps.push(new URL(named, url));
  }
  const open: URL[] = [];
  for (const url of maps.slice(0, maxMaps)) if (await isSourceMap(visitor, url)) open.push(url);
  const findings: CheckFinding[] =
    open.length === 0
      ? []
      : [
          {
            kind: 'public-source-map',
            severity: 'medium',
            title: 'Source maps are public: everybody can read the source of your client code.',
            advice:
              'Keep them on the server, and upload them to where errors are read; if they are meant to be public, this is a note.',
            paths: open.map(({ pathname }) => pathname),
          },
        ];
  return { versions, findings };
}
