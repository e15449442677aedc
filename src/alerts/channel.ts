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
  /** Tell a fault with more occurrences than this within an hour of the clock; null: never. */
  volume: v.nullable(v.number()),
  /** Of which apps; null: of all. */
  apps: v.nullable(v.array(v.string())),
  /** Faults that nobody but browsers has reported, too. Anybody can post those. */
  claims: v.boolean(),
  /** The receiver may be in the server's own network. */
  inside: v.boolean(),
});

export type ChannelRules = Readonly<v.InferOutput<typeof rulesSchema>>;

export type ChannelKind = Tables['alert_channel']['kind'];

export type Channel = {
  readonly id: string;
  readonly name: string;
  readonly kind: ChannelKind;
  readonly target: string;
  readonly secret: string | undefined;
  readonly rules: ChannelRules;
  /** Milliseconds since 1970, as `paused`. */
  readonly created: number;
  readonly paused: number | undefined;
};

export function toChannel(row: Selectable<Tables['alert_channel']>): Channel {
  const { id, name, kind, target, created } = row;
  const stored: unknown = JSON.parse(row.rules_json);
  const rules = v.parse(rulesSchema, stored);
  return { id, name, kind, target, created, rules, secret: row.secret ?? undefined, paused: row.paused ?? undefined };
}

/**
 * Where a channel leads, as far as it may be shown. The path and the query of a hook are its password, so of those only
 * the last four characters are shown. An e-mail address is none.
 */
export function describeTarget({ kind, target }: Pick<Channel, 'kind' | 'target'>): string {
  if (kind === 'email') return target;
  const url = URL.parse(target);
  if (!url) return '';
  const rest = url.pathname + url.search;
  return `${url.protocol}//${url.host}${rest.length > 8 ? `/…${rest.slice(-4)}` : '/…'}`;
}
