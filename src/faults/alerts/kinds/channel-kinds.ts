import 'server-only';

import type { ChannelKind } from './channel-kind.ts';
import { email } from './email.ts';
import { slack } from './slack.ts';
import { webhook } from './webhook.ts';

/** In the order of the form, which begins with what most people have. */
export const channelKinds: readonly ChannelKind[] = [slack, webhook, email];

export function findChannelKind(name: string): ChannelKind | undefined {
  return channelKinds.find((kind) => kind.name === name);
}
