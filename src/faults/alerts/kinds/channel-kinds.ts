import 'server-only';

import type { ChannelKind } from './channel-kind.ts';
import { email } from './email.ts';
import { slack } from './slack.ts';
import { webhook } from './webhook.ts';

/** In the order of the form. */
export const channelKinds: readonly ChannelKind[] = [webhook, slack, email];

export function findChannelKind(name: string): ChannelKind | undefined {
  return channelKinds.find((kind) => kind.name === name);
}
