import { gzipSync } from 'node:zlib';

/**
 * The JavaScript that a browser loads before a page can be used: what the page preloads, its entry, and everything that
 * these import. What is loaded later, by a call of `import()`, is not counted.
 */
export type PageWeight = { readonly files: number; readonly bytes: number; readonly gzipped: number };

const scriptPattern = /(?:href|src)="([^"]+\.js)"|import\("([^"]+\.js)"\)/g;
const staticImportPattern = /\b(?:from|import)\s*["'](\.{0,2}\/[^"']+\.js)["']/g;

async function fetchText(url: URL): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href} answers ${response.status}`);
  return await response.text();
}

export async function weighPage(pageUrl: string): Promise<PageWeight> {
  const page = new URL(pageUrl);
  const html = await fetchText(page);
  const found = new Set(
    Array.from(html.matchAll(scriptPattern), ([, tag, call]) => new URL(tag ?? call ?? '', page).href),
  );
  let bytes = 0;
  let gzipped = 0;
  // A set grows while it is walked, and the walk visits what was added.
  for (const href of found) {
    const url = new URL(href);
    const code = await fetchText(url);
    bytes += Buffer.byteLength(code);
    gzipped += gzipSync(code).length;
    for (const [, specifier] of code.matchAll(staticImportPattern)) found.add(new URL(specifier ?? '', url).href);
  }
  return { files: found.size, bytes, gzipped };
}
