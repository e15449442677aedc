import 'server-only';

import { isMailAddress } from '#src/environment/mail-entries.ts';

import type { Channel, ChannelKind } from './channel.ts';
import { isInsideHost } from './inside-addresses.ts';

/** What a person typed for a channel. Everything is read here, once. */
export type ChannelDraft = Pick<Channel, 'name' | 'kind' | 'target' | 'rules'>;

export type ChannelProblem =
  | 'name'
  | 'kind'
  | 'url'
  | 'url-with-password'
  | 'inside'
  | 'email'
  | 'volume'
  | 'nothing'
  | 'no-apps';

/** A name that says what it is: the recorder takes the values of such fields out of what it keeps of a form that fails. */
export const targetField = 'secret-address';

const longestName = 80;
/** Hooks of large services have some 200 characters. */
const longestUrl = 2_000;
const mostOccurrences = 1_000_000_000;

function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function isOn(form: FormData, name: string): boolean {
  return form.get(name) === 'on';
}

function toKind(text: string): ChannelKind | undefined {
  return text === 'webhook' || text === 'slack' || text === 'email' ? text : undefined;
}

function checkTarget(kind: ChannelKind, target: string, mayReachInside: boolean): ChannelProblem | undefined {
  if (kind === 'email') return isMailAddress(target) ? undefined : 'email';
  const url = URL.parse(target);
  if (!url || target.length > longestUrl || !/^https?:$/.test(url.protocol)) return 'url';
  // It would have to be shown, or hidden, apart from the rest; receivers take a token in the path or check the signature.
  if (url.username !== '' || url.password !== '') return 'url-with-password';
  // Nothing could ever be sent there. A name that leads inside shows only when it is looked up, at each message.
  return !mayReachInside && isInsideHost(url.hostname) ? 'inside' : undefined;
}

/** Undefined: not a number. */
function readVolume(text: string): number | null | undefined {
  if (text === '') return null;
  return /^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= mostOccurrences ? Number(text) : undefined;
}

/** @param known the ids of the apps that are here */
export function parseChannelForm(form: FormData, known: readonly string[]): ChannelDraft | ChannelProblem {
  const [name, target] = [readText(form, 'name'), readText(form, targetField)];
  const kind = toKind(readText(form, 'kind'));
  if (name === '' || name.length > longestName) return 'name';
  if (!kind) return 'kind';
  const problem = checkTarget(kind, target, isOn(form, 'inside'));
  if (problem) return problem;
  const volume = readVolume(readText(form, 'volume'));
  if (volume === undefined) return 'volume';
  const chosen = form.getAll('app').filter((id) => typeof id === 'string');
  const apps = readText(form, 'apps') === 'some' ? known.filter((id) => chosen.includes(id)) : null;
  if (apps?.length === 0) return 'no-apps';
  const rules = {
    new: isOn(form, 'new'),
    back: isOn(form, 'back'),
    volume,
    apps,
    claims: isOn(form, 'claims'),
    inside: isOn(form, 'inside'),
  };
  if (!rules.new && !rules.back && volume === null) return 'nothing';
  return { name, kind, target: kind === 'email' ? target : new URL(target).href, rules };
}
