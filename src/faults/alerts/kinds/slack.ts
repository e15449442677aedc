import 'server-only';

import { describeAlert } from '../describe-alert.ts';
import type { AlertContent } from '../message.ts';
import { postMessage } from '../post-message.ts';
import type { ChannelKind } from './channel-kind.ts';
import { hookTarget } from './hook-target.ts';

/** Slack reads `<…>` as links and as calls to everybody (`<!channel>`), and unescapes these three. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * Somebody else's text stands in a code span. There neither Slack nor the chats that take its shape (Mattermost, Discord,
 * Rocket.Chat) look for names, links or bold. A backtick would end the span.
 */
function quote(text: string): string {
  return `\`${escapeSlack(text.replaceAll('`', "'"))}\``;
}

/** The shape of Slack's incoming webhooks. Only `text`, because the chats that imitate it know no more. */
export function formatSlack(content: AlertContent, origin: string): string {
  const { title, headline, facts, notes, link } = describeAlert(content, origin);
  const lines = [
    `*${escapeSlack(title)}*`,
    ...(headline === undefined ? [] : [quote(headline)]),
    ...facts.map(({ name, value }) => `${name}: ${quote(value)}`),
    ...notes.map(escapeSlack),
    `<${link.url}|${link.text}>`,
  ];
  return JSON.stringify({ text: lines.join('\n'), unfurl_links: false, unfurl_media: false });
}

export const slack: ChannelKind = {
  ...hookTarget,
  name: 'slack',
  label: 'Chat (Slack’s shape)',
  says: 'Slack, or a chat that takes its messages: Mattermost, Discord (its address with /slack)',
  isSigned: false,
  send({ channel: { target, rules }, content, origin, signal }) {
    const body = formatSlack(content, origin);
    return postMessage({ url: target, body, headers: {}, mayReachInside: rules.inside, signal });
  },
};
