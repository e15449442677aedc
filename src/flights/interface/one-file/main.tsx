import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

import { decompressHere, readSavedPart, savedElementId } from '#flight';
import { DecodeTool } from '#src/flights/interface/decode/decode-tool.tsx';

import './one-file.css';
import { keepTemplate } from './offline/offline-template.ts';
import { OneFilePage } from './one-file-page.tsx';

/** The page /decode in a file: the same tool, without a server. */
function DecodeOffline() {
  return (
    <main className="stack-5">
      <div className="decode-intro stack-2">
        <h1>Decode a flight</h1>
        <p>
          The payload of a React Server Components app, made readable: any framework, React 19.0 to 19.3, and Next.js
          13.4 and 14. This page has no server: what is opened here stays in this browser, and nothing is asked for.
        </p>
      </div>
      <DecodeTool />
    </main>
  );
}

function PageProblem({ reason }: { readonly reason: string }) {
  return (
    <div role="alert" className="panel px-4 py-3">
      <h1>This file cannot be read</h1>
      <p className="[overflow-wrap:anywhere]">It is damaged, or was changed after it was saved: {reason}.</p>
    </div>
  );
}

async function choosePage(saved: string): Promise<ReactNode> {
  if (saved === '') return <DecodeOffline />;
  const result = await readSavedPart(saved, decompressHere);
  return result.kind === 'one-file' ? <OneFilePage file={result.file} /> : <PageProblem reason={result.reason} />;
}

/** Starts what is in the file: the viewer of what was saved in it or, where nothing was, the decoder. Nothing is requested. */
async function start(): Promise<void> {
  // The unpacked code, which the file has packed.
  document.currentScript?.remove();
  const place = document.getElementById('flight-page');
  if (!place) return;
  const saved = document.getElementById(savedElementId)?.textContent?.trim() ?? '';
  if (saved === '') keepTemplate();
  createRoot(place).render(<StrictMode>{await choosePage(saved)}</StrictMode>);
}

void start();
