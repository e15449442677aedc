import { loadLine, type LineName, type ReactLine, type ReactMode } from '../differential/react-lines.ts';

/** A payload that React's own server wrote, with the time of each of its writes. */
export type Rendered = { bytes: Uint8Array; text: string; chunks: { ms: number; bytes: number }[] };

/** What a page of the corpus is written with. */
type Tools = {
  React: ReactLine['react'];
  h: (type: unknown, props?: Record<string, unknown> | null, ...children: unknown[]) => unknown;
  /** A client component: each has a module of its own, and two files, of which one has a long name. */
  client: (name: string, module?: string) => unknown;
};

const manifest = new Proxy(
  {},
  {
    get(_target, key) {
      if (typeof key !== 'string' || key.includes('#')) return undefined;
      return { id: key, chunks: ['app', chunkName(key)], name: '*', async: false };
    },
  },
);

/** As bundlers name files: by a hash of what is in them. */
export function chunkName(module: string): string {
  let hash = 7;
  for (const letter of module) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  const more = Math.imul(hash, 0x9e3779b1) >>> 0;
  return `static/chunks/${module}-${hash.toString(36)}${more.toString(36)}.js`;
}

export type Page = (tools: Tools) => unknown;

/** Renders a page with React's server of one line. The times are the real ones. */
export async function renderWithReact(
  page: Page,
  { line: lineName = '19.3', mode = 'production' }: { line?: LineName; mode?: ReactMode } = {},
): Promise<Rendered> {
  const line = loadLine(lineName, mode);
  const tools: Tools = {
    React: line.react,
    h: (type, props = {}, ...children) => {
      const inside = children.length === 0 ? [] : [['children', children.length === 1 ? children[0] : children]];
      return line.react.createElement(type, { ...props, ...Object.fromEntries(inside) });
    },
    client: (name, module = name) => line.server.registerClientReference(() => {}, module, name),
  };
  const begun = performance.now();
  const stream = line.server.renderToReadableStream(page(tools), manifest, { onError: () => 'a digest' });
  const chunks: { ms: number; bytes: number }[] = [];
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) {
    pieces.push(piece);
    chunks.push({ ms: performance.now() - begun, bytes: piece.length });
  }
  const bytes = new Uint8Array(Buffer.concat(pieces));
  return { bytes, text: Buffer.from(bytes).toString('latin1'), chunks };
}
