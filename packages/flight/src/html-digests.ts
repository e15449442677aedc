import { findScripts } from './script-elements.ts';
import { unescapeLiteral } from './script-pushes.ts';

/**
 * The digests of a page that failed while it was rendered to HTML. React's server puts the digest of a Suspense boundary
 * that failed into `<template data-dgst="…">`; for one that failed after its fallback was sent, into a script that calls
 * `$RX("B:0","…")`. Development of Next.js has `data-next-error-digest` too. The digests of errors in server components are in
 * the page's Flight (`scanFlight`); most of these are in both.
 *
 * Source: pushStartClientRenderedSuspenseBoundary and writeClientRenderBoundaryInstruction in react-dom 19.3's server.
 */

/** Digests read of one page. Where there are more, they have the same cause. */
const maxDigests = 100;

/** Characters. A digest is an id; Next's control flow (`NEXT_REDIRECT;replace;/a;307;`) carries an address. */
const maxDigestLength = 1000;

/** Text cannot hold a `<`, so what looks like a template is one, but for comments and data, which hold no digests. */
const template = new RegExp(
  String.raw`<template\b[^<>]{0,2000}?\sdata-(?:dgst|next-error-digest)="([^"<>]{1,${maxDigestLength}})"`,
  'gi',
);
const call = new RegExp(
  String.raw`\$RX\(\s*"(?:[^"\\]|\\.){0,100}"\s*,\s*"((?:[^"\\]|\\.){1,${maxDigestLength}})"`,
  'g',
);

const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#x27', "'"],
  ['#39', "'"],
]);

function readAttribute(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#x27|#39);/g, (whole, name: string) => entities.get(name) ?? whole);
}

/** The digests in a page's source, in the order of the page, each once, at most 100. Runs no script; never throws. */
export function readDigestsFromHtml(html: string): string[] {
  const found: { at: number; digest: string }[] = [];
  for (const match of html.matchAll(template)) found.push({ at: match.index, digest: readAttribute(match[1] ?? '') });
  if (html.includes('$RX(')) {
    for (const { start, code } of findScripts(html)) {
      for (const match of code.matchAll(call)) {
        found.push({ at: start + match.index, digest: unescapeLiteral(match[1] ?? '') });
      }
    }
  }
  const inOrder = found.toSorted((a, b) => a.at - b.at).map(({ digest }) => digest);
  return [...new Set(inOrder)].slice(0, maxDigests);
}
