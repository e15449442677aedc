import 'server-only';

import { describeAlert } from '../describe-alert.ts';
import type { AlertContent } from '../message.ts';

export type Email = { readonly subject: string; readonly text: string; readonly html: string };

/** Mail programs cut longer ones off. */
const longestSubject = 150;

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}

/**
 * Mail programs make links of addresses. What a stranger wrote into an error is none: a character that nobody sees stands in each.
 */
function withoutLinks(text: string): string {
  return text.replaceAll('://', ':\u2060//').replaceAll(/\bwww\./gi, '$&\u2060');
}

/** Plain text, and the same as simple HTML. The texts have no line ends: `boundFault` has escaped them. */
export function formatEmail(content: AlertContent, origin: string): Email {
  const { title, facts, notes, link, ...told } = describeAlert(content, origin);
  const headline = told.headline === undefined ? undefined : withoutLinks(told.headline);
  const named = content.type === 'fault' ? content.fault.appName : 'appName' in content ? content.appName : undefined;
  const app = named === undefined ? '' : ` in ${named}`;
  const subject = `[Flight Recorder] ${title}${app}${headline === undefined ? '' : `: ${headline}`}`;
  const details = [...facts.map(({ name, value }) => `${name}: ${withoutLinks(value)}`), ...notes];
  const lines = [title, ...(headline === undefined ? [] : [`> ${headline}`]), ...details];
  return {
    // No control character gets into a header, whatever the texts above hold.
    subject: subject.replace(/\p{Cc}+/gu, ' ').slice(0, longestSubject),
    text: `${lines.join('\n')}\n\n${link.text}: ${link.url}\n`,
    html: [
      '<!doctype html><html><body style="font-family: sans-serif">',
      `<h1 style="font-size: 1.2em">${escapeHtml(title)}</h1>`,
      ...(headline === undefined ? [] : [`<pre style="white-space: pre-wrap">${escapeHtml(headline)}</pre>`]),
      `<ul>${details.map((detail) => `<li>${escapeHtml(detail)}</li>`).join('')}</ul>`,
      `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.text)}</a></p>`,
      '</body></html>',
    ].join('\n'),
  };
}
