import './one-file.css';

import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

import { decompressHere, readSavedPart, savedElementId } from '#flight';

import { DecodeOffline } from './offline/decode-offline.tsx';
import { keepTemplate } from './offline/offline-template.ts';
import { OneFilePage } from './one-file-page.tsx';
import { PageProblem } from './page-problem.tsx';

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
