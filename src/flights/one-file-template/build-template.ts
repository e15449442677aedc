import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';

import { oneFilePlaces } from '#flight';

import type { TemplateParts } from './template-file.ts';

/**
 * The HTML file that flights are saved in, before anything is in it: then it is the decoder, without a server. The
 * viewer is packed, which makes a quarter of it, and unpacked by a few lines; the policy names both by their hashes.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const entry = path.join(root, 'src/flights/interface/one-file/main.tsx');
const icon = path.join(root, 'public/favicon.svg');

/** Unpacks the viewer and runs it. A browser without what it needs says so in place of the page. */
const loader = `(async()=>{const say=document.getElementById('flight-page');try{
const packed=Uint8Array.from(atob(document.getElementById('flight-viewer').textContent.trim()),(c)=>c.charCodeAt(0));
const text=await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
const script=document.createElement('script');script.textContent=text;document.head.append(script);
}catch(error){say.textContent='The viewer in this file could not be started. It needs a browser of 2023 or newer. ('+error+')'}})()`;

/** What the page `/decode` takes from a server, and what a file has instead. */
const instead: readonly (readonly [from: RegExp, to: string])[] = [
  [/\/runtime\/navigation\/link\.tsx$/, 'offline-link.tsx'],
  [/\/runtime\/navigation\/use-navigate\.ts$/, 'offline-navigate.ts'],
  [/^waku\/router\/client$/, 'offline-router.ts'],
  [/^\.\/(?:run-decode-task|compare-task)\.ts$/, 'offline-tasks.ts'],
  [/^\.\/load-template\.ts$/, 'offline-template.ts'],
  [/^\.\/viewer-addresses\.ts$/, 'offline-addresses.ts'],
];

const decodeFolder = path.join(root, 'src/flights/interface/decode');

const withoutServer: Plugin = {
  name: 'flight-recorder:without-server',
  enforce: 'pre',
  resolveId(source, importer) {
    if (importer === undefined || path.dirname(importer) !== decodeFolder) return undefined;
    const own = instead.find(([from]) => from.test(source))?.[1];
    return own === undefined ? undefined : path.join(path.dirname(entry), 'offline', own);
  },
};

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

type Built = { readonly script: string; readonly styles: string };

async function bundle(): Promise<Built> {
  const result = await build({
    root: path.join(root, 'packages/viewer'),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [withoutServer, react(), tailwindcss()],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      lib: { entry, name: 'flightViewer', formats: ['iife'], cssFileName: 'viewer' },
    },
  });
  const files = [result].flat().flatMap((each) => ('output' in each ? each.output : []));
  const scripts = files.filter((file) => file.type === 'chunk');
  const styles = files.flatMap((file) =>
    file.type === 'asset' && file.fileName.endsWith('.css') ? [String(file.source)] : [],
  );
  const [script] = scripts;
  if (!script || scripts.length > 1 || styles.length !== 1) {
    throw new Error('build-template.ts: not one script and one style sheet');
  }
  return { script: script.code, styles: styles.join('') };
}

function write({ script, styles }: Built): TemplateParts {
  const iconAddress = `data:image/svg+xml;base64,${readFileSync(icon).toString('base64')}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hash(loader)} ${hash(script)}`,
    `style-src ${hash(styles)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const before = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
${oneFilePlaces.title}
<link rel="icon" href="${iconAddress}">
<style>${styles}</style>
</head>
<body>
<div id="flight-page"><noscript><p>This file has a viewer in it, which needs JavaScript. In a terminal: <code>flight-recorder flight</code> and the file’s name.</p></noscript></div>
${oneFilePlaces.saved}
<script type="application/octet-stream" id="flight-viewer">`;
  const after = `</script>
<script>${loader}</script>
</body>
</html>
`;
  return { before, script, after };
}

/** Its modules are also in the interface, so their licences are among those of the build. */
export async function buildTemplate(): Promise<TemplateParts> {
  return write(await bundle());
}
