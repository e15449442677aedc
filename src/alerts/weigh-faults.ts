import 'server-only';

import type { AlertReason, Channel } from './channel.ts';
import type { Summed } from './message.ts';

/**
 * Which channel is told of what now. Pure: read-outbox.ts reads what it needs, and derive-alerts.ts stores what it says.
 *
 * A channel gets at most one message a fault and hour. What comes meanwhile is held, and told when the hour is over. A channel gets
 * at most some messages a minute, too; faults beyond that are only counted, and one summary a minute says how many.
 */
export type Happening = {
  readonly reason: AlertReason;
  readonly fault: {
    readonly id: string;
    readonly app: string;
    readonly side: 'server' | 'browser';
    readonly isOpen: boolean;
    readonly count: number;
    readonly claims: number;
  };
  /** When it happened. */
  readonly time: number;
  /** The error or the report that made it happen. */
  readonly occurrence: string | null;
  /** Of the hour of the clock, where the reason is a volume. */
  readonly hour: { readonly start: number; readonly count: number; readonly claims: number } | undefined;
  /** Only this channel has waited for it; undefined: it is news for all. */
  readonly heldBy: string | undefined;
  /** Whoever is told of claims knows it already. */
  readonly wasClaim: boolean;
};

/** What the channel knows of a fault. */
export type Told = {
  readonly time: number;
  readonly seen: number;
  readonly held: AlertReason | null;
  readonly volumeHour: number;
};

export type Room = {
  /** How many more messages may be made for the channel now. */
  messages: number;
  summed: Summed;
};

export type Verdict =
  | { readonly type: 'ignore' }
  | { readonly type: 'hold'; readonly told: Told }
  | { readonly type: 'sum'; readonly told: Told }
  | { readonly type: 'tell'; readonly told: Told; readonly more: number | null };

export const hourMs = 3_600_000;

/** Of a fault that was held for two reasons, the message names the one that says most. */
const weights: Readonly<Record<AlertReason, number>> = { volume: 0, woke: 1, new: 2, regressed: 3 };

function countHour(channel: Channel, hour: NonNullable<Happening['hour']>): number {
  return hour.count + (channel.rules.claims ? hour.claims : 0);
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

function concerns(channel: Channel, happening: Happening, told: Told | undefined): boolean {
  const { rules } = channel;
  const { fault, hour, heldBy, time } = happening;
  // Muted, snoozed or resolved meanwhile: whoever did that knows of it.
  if (channel.paused !== undefined || !fault.isOpen || !isWanted(channel, happening)) return false;
  if (heldBy !== undefined) return heldBy === channel.id;
  if (time < channel.created || (happening.wasClaim && rules.claims)) return false;
  if (fault.side === 'browser' && !rules.claims) return false;
  if (rules.apps !== null && !rules.apps.includes(fault.app)) return false;
  if (!hour) return true;
  return rules.volume !== null && countHour(channel, hour) > rules.volume && told?.volumeHour !== hour.start;
}

/** A clock that was set back must not silence a fault for longer than the hour. */
function isWithinHour(told: Told, now: number): boolean {
  return told.time <= now && now - told.time < hourMs;
}

export function weigh(
  channel: Channel,
  happening: Happening,
  told: Told | undefined,
  room: Room,
  now: number,
): Verdict {
  if (!concerns(channel, happening, told)) return { type: 'ignore' };
  const { reason, fault, hour } = happening;
  const volumeHour = hour?.start ?? told?.volumeHour ?? 0;
  if (told && isWithinHour(told, now)) {
    const held = told.held === null || weights[reason] > weights[told.held] ? reason : told.held;
    return { type: 'hold', told: { ...told, held, volumeHour } };
  }
  const seen = fault.count + fault.claims;
  const next: Told = { time: now, seen, held: null, volumeHour };
  if (room.messages <= 0) {
    room.summed = { ...room.summed, [reason]: room.summed[reason] + 1 };
    return { type: 'sum', told: next };
  }
  room.messages -= 1;
  return { type: 'tell', told: next, more: told ? Math.max(0, seen - told.seen) : null };
}
