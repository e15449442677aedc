import 'server-only';

import * as v from 'valibot';
import type { Selectable } from 'kysely';

import type { Tables } from '#src/store/schema.ts';

/** Why an alert is sent. `woke`: it was snoozed until a time or a volume, and that has come. */
export type AlertReason = 'new' | 'regressed' | 'woke' | 'volume';

const rulesSchema = v.object({
  /** Tell a fault that was not there before. */
  new: v.boolean(),
  /** Tell a fault that came back: after it was resolved, or at the end of a snooze. */
  back: v.boolean(),
  /** Tell a fault with more errors than this within an hour of the clock; null: never. */
  volume: v.nullable(v.number()),
  /** Tell a route of which more than 5 in 100 answers of the last hour took longer. Channels from before there was this have none. */
  slow: v.optional(
    v.nullable(
      v.object({
        ms: v.number(),
        /** With fewer answers than this, an hour says nothing. */
        answers: v.number(),
        /** Of which route alone; null: of each. */
        route: v.nullable(v.string()),
      }),
    ),
    null,
  ),
  /** Of which apps; null: of all. */
  apps: v.nullable(v.array(v.string())),
  /** Faults that nobody but browsers has reported, too. Anybody can post those. */
  untrusted: v.boolean(),
  /** The receiver may be in the server's own network. */
  inside: v.boolean(),
});

export type ChannelRules = Readonly<v.InferOutput<typeof rulesSchema>>;

export type Channel = {
  readonly id: string;
  readonly name: string;
  /** The name of one of kinds/channel-kinds.ts. */
  readonly kind: string;
  readonly target: string;
  readonly secret: string | undefined;
  readonly rules: ChannelRules;
  /** Milliseconds since 1970, as `paused`. */
  readonly created: number;
  readonly paused: number | undefined;
};

/** Whether a channel that is not paused is told what is new of an app. */
export function hearsNew(channel: Channel, app: string): boolean {
  return channel.paused === undefined && channel.rules.new && hearsOf(channel, app);
}

/** Whether a channel is told of an app at all. */
export function hearsOf({ rules }: Channel, app: string): boolean {
  return rules.apps?.includes(app) ?? true;
}

export function toChannel(row: Selectable<Tables['alert_channel']>): Channel {
  const { id, name, kind, target, created } = row;
  const stored: unknown = JSON.parse(row.rules_json);
  const rules = v.parse(rulesSchema, stored);
  return { id, name, kind, target, created, rules, secret: row.secret ?? undefined, paused: row.paused ?? undefined };
}
