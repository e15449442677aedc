import { Parser } from 'htmlparser2';

/** What `check` follows and looks at in a page. Addresses are on the page's own site, without a fragment, each once. */
export type PageLinks = {
  readonly pages: readonly URL[];
  readonly scripts: readonly URL[];
};

/** Of one page: a list of ten thousand has ten thousand. */
const maxLinks = 1000;

/** Chromium nests 512. The parser moves all open elements for each that is opened, so what is nested deeper is not read on. */
const deepest = 2_000;

/** What an inline script imports, as React Router's and Vite's pages begin: `import("/assets/entry.client-BzP3.js")`. */
const importCall = /\bimport\s*\(?\s*["']((?:\/|https?:\/\/)[^"'\s]{1,2048})["']/g;

/** A link to a file: a picture, a feed, an archive. */
const file = /\.(?!html?$)[a-z\d]{2,5}$/i;

export function readPageLinks(html: string, page: URL): PageLinks {
  const pages = new Map<string, URL>();
  const scripts = new Map<string, URL>();
  function resolve(address: string | undefined): URL | undefined {
    if (address === undefined || !URL.canParse(address, page)) return undefined;
    const url = new URL(address, page);
    url.hash = '';
    return url.origin === page.origin ? url : undefined;
  }
  function keepScript(address: string | undefined): void {
    const url = resolve(address);
    if (url) scripts.set(url.href, url);
  }
  let inline = '';
  let isInline = false;
  let depth = 0;
  const parser = new Parser({
    onopentag(name, { href, src, rel, download }) {
      depth += 1;
      if (depth > deepest) return parser.pause();
      isInline = name === 'script' && src === undefined;
      if (name === 'script') keepScript(src);
      if (name === 'link' && rel?.toLowerCase() === 'modulepreload') keepScript(href);
      if (name !== 'a' || download !== undefined || pages.size >= maxLinks) return;
      const url = resolve(href);
      if (!url || file.test(url.pathname)) return;
      pages.set(url.href, url);
    },
    ontext(text) {
      if (isInline) inline += text;
    },
    onclosetag() {
      depth -= 1;
      for (const [, address] of inline.matchAll(importCall)) keepScript(address);
      inline = '';
      isInline = false;
    },
  });
  parser.end(html);
  return { pages: [...pages.values()], scripts: [...scripts.values()] };
}

/** Pages of one folder that are taken: the third product tells nothing that the first two did not. */
const maxOfFolder = 2;

/** Links in their order, of each folder the first two, and none of `taken`. */
export function choosePages(links: readonly URL[], taken: readonly URL[], max: number): URL[] {
  const chosen: URL[] = [];
  const folders = new Map<string, number>();
  const paths = new Set(taken.map(({ pathname }) => pathname));
  for (const url of links) {
    if (chosen.length >= max) break;
    if (paths.has(url.pathname)) continue;
    const parts = url.pathname.split('/').filter((part) => part !== '');
    const folder = parts.slice(0, -1).join('/');
    const before = folders.get(folder) ?? 0;
    if (parts.length > 1 && before >= maxOfFolder) continue;
    folders.set(folder, before + 1);
    paths.add(url.pathname);
    chosen.push(url);
  }
  return chosen;
}
