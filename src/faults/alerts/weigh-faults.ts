import 'server-only';

import { hearsOf, type AlertReason, type Channel } from './channel.ts';
import { namedMost, type Summed } from './message.ts';

/**
 * Which channel hears of what now. Pure: read-outbox.ts reads what it needs, and derive-alerts.ts stores what it says.
 *
 * A channel gets at most one message a fault and hour. What comes meanwhile is held, and sent when the hour is over. A channel gets
 * at most some messages a minute, too, and as many again of apps that had none; faults beyond that are counted, and one summary a minute
 * says how many and names the first.
 */
export type Happening = {
  readonly reason: AlertReason;
  readonly fault: {
    readonly id: string;
    readonly app: string;
    readonly side: 'server' | 'browser';
    readonly isOpen: boolean;
    readonly count: number;
    readonly untrusted: number;
  };
  /** When it happened. */
  readonly time: number;
  /** The error or the report that made it happen. */
  readonly error: string | null;
  /** Of the hour of the clock, where the reason is a volume. */
  readonly hour: { readonly start: number; readonly count: number; readonly untrusted: number } | undefined;
  /** Only this channel has waited for it; undefined: it is unseen for all. */
  readonly heldBy: string | undefined;
  /** Whoever hears of untrusted errors knows it already. */
  readonly wasUntrusted: boolean;
};

/** What the channel knows of a fault. */
export type Sent = {
  readonly time: number;
  readonly seen: number;
  readonly held: AlertReason | null;
  readonly volumeHour: number;
};

export type Room = {
  /** How many more messages may be made for the channel now. */
  messages: number;
  /** How many more, where they are the first of their app for some time: a flood of one app silences no other. */
  firsts: number;
  /** Those of which the channel has had one. */
  readonly apps: Set<string>;
  summed: Summed;
};

export type Verdict =
  | { readonly type: 'ignore' }
  | { readonly type: 'hold'; readonly sent: Sent }
  | { readonly type: 'sum'; readonly sent: Sent }
  | { readonly type: 'tell'; readonly sent: Sent; readonly more: number | null };

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Of a fault that was held for two reasons, the message names the one that says most. */
const weights: Readonly<Record<AlertReason, number>> = { volume: 0, woke: 1, new: 2, regressed: 3 };

function countHour(channel: Channel, hour: NonNullable<Happening['hour']>): number {
  return hour.count + (channel.rules.untrusted ? hour.untrusted : 0);
}

function isWanted({ rules }: Channel, { reason }: Happening): boolean {
  switch (reason) {
    case 'new':
      return rules.new;
    case 'regressed':
    case 'woke':
      return rules.back;
    case 'volume':
      return rules.volume !== null;
  }
}

function concerns(channel: Channel, happening: Happening, sent: Sent | undefined): boolean {
  const { rules } = channel;
  const { fault, hour, heldBy, time } = happening;
  // Muted, snoozed or resolved meanwhile: whoever did that knows of it.
  if (channel.paused !== undefined || !fault.isOpen || !isWanted(channel, happening)) return false;
  if (heldBy !== undefined) return heldBy === channel.id;
  if (time < channel.created || (happening.wasUntrusted && rules.untrusted)) return false;
  if (fault.side === 'browser' && !rules.untrusted) return false;
  if (!hearsOf(channel, fault.app)) return false;
  if (!hour) return true;
  return rules.volume !== null && countHour(channel, hour) > rules.volume && sent?.volumeHour !== hour.start;
}

/** Whether it was told so shortly before. A clock that was set back must not silence what follows for longer than that. */
export function isRecent(sent: Sent, now: number, forMs: number): boolean {
  return sent.time <= now && now - sent.time < forMs;
}

export function weigh(
  channel: Channel,
  happening: Happening,
  sent: Sent | undefined,
  room: Room,
  now: number,
): Verdict {
  if (!concerns(channel, happening, sent)) return { type: 'ignore' };
  const { reason, fault, hour } = happening;
  const volumeHour = hour?.start ?? sent?.volumeHour ?? 0;
  if (sent && isRecent(sent, now, hourMs)) {
    const held = sent.held === null || weights[reason] > weights[sent.held] ? reason : sent.held;
    return { type: 'hold', sent: { ...sent, held, volumeHour } };
  }
  const seen = fault.count + fault.untrusted;
  const next: Sent = { time: now, seen, held: null, volumeHour };
  const isFirst = room.firsts > 0 && !room.apps.has(fault.app);
  if (room.messages <= 0 && !isFirst) {
    const first = [...new Set([...room.summed.first, fault.id])].slice(0, namedMost);
    room.summed = { ...room.summed, [reason]: room.summed[reason] + 1, first };
    return { type: 'sum', sent: next };
  }
  room.messages -= 1;
  room.firsts -= 1;
  room.apps.add(fault.app);
  return { type: 'tell', sent: next, more: sent ? Math.max(0, seen - sent.seen) : null };
}
