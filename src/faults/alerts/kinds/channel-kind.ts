import type { Channel } from '../channel.ts';
import type { AlertContent } from '../message.ts';
import type { Sent } from '../post-message.ts';

/** What is wrong with an address that somebody typed. */
export type TargetProblem = 'url' | 'url-with-password' | 'inside' | 'email';

/** One message on its way. `id` is the same each time that it is tried. */
type Message = {
  readonly channel: Channel;
  readonly id: string;
  readonly content: AlertContent;
  /** Of this server, as people reach it. */
  readonly origin: string;
  readonly signal: AbortSignal;
};

/** All that is known of a kind of channel. A new kind is a file with one, and a line in `channel-kinds.ts`. */
export type ChannelKind = {
  /** As it is stored. */
  readonly name: string;
  /** In lists. */
  readonly label: string;
  /** In the form. */
  readonly says: string;
  /** Messages are signed with a secret of the channel's own, which is made with it. */
  readonly isSigned: boolean;
  /** What this server lacks to send at all, in words; undefined when it can. */
  readonly readLack: () => string | undefined;
  readonly checkTarget: (target: string, mayReachInside: boolean) => TargetProblem | undefined;
  /** Of one that was checked: as it is stored. */
  readonly normaliseTarget: (target: string) => string;
  /** As far as it may be shown. */
  readonly describeTarget: (target: string) => string;
  /** Once. Never throws for what the receiver did. */
  readonly send: (message: Message) => Promise<Sent>;
};
