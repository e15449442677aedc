import 'server-only';

import type { Channel } from './channel.ts';
import type { TargetProblem } from './kinds/channel-kind.ts';
import { findChannelKind } from './kinds/channel-kinds.ts';

/** What a person typed for a channel. Everything is read here, once. */
export type ChannelDraft = Pick<Channel, 'name' | 'kind' | 'target' | 'rules'>;

export type ChannelProblem = TargetProblem | 'name' | 'kind' | 'volume' | 'slow' | 'nothing' | 'no-apps';

/** A name that says what it is: the recorder takes the values of such fields out of what it keeps of a form that fails. */
export const targetField = 'secret-address';

const longestName = 80;
const mostErrors = 1_000_000_000;

function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function isOn(form: FormData, name: string): boolean {
  return form.get(name) === 'on';
}

/** Undefined: not a number. */
function readVolume(text: string): number | null | undefined {
  if (text === '') return null;
  return /^\d{1,10}$/.test(text) && Number(text) >= 1 && Number(text) <= mostErrors ? Number(text) : undefined;
}

/** With this many, 95 of 100 is all but the slowest. */
export const usualAnswers = 20;
const [longestMs, mostAnswers, longestRoute] = [86_400_000, 10_000, 500];

function readCount(text: string, most: number): number | undefined {
  return /^\d{1,8}$/.test(text) && Number(text) >= 1 && Number(text) <= most ? Number(text) : undefined;
}

/** Undefined: something in it is none. Without a time it is off, whatever else stands there. */
function readSlow(form: FormData): Channel['rules']['slow'] | undefined {
  const [ms, answers, route] = [readText(form, 'slow'), readText(form, 'slow-answers'), readText(form, 'slow-route')];
  if (ms === '') return null;
  const limit = { ms: readCount(ms, longestMs), answers: readCount(answers || String(usualAnswers), mostAnswers) };
  if (limit.ms === undefined || limit.answers === undefined || route.length > longestRoute) return undefined;
  return { ms: limit.ms, answers: limit.answers, route: route === '' ? null : route };
}

/** @param known the ids of the apps that are here */
export function parseChannelForm(form: FormData, known: readonly string[]): ChannelDraft | ChannelProblem {
  const [name, target] = [readText(form, 'name'), readText(form, targetField)];
  const kind = findChannelKind(readText(form, 'kind'));
  if (name === '' || name.length > longestName) return 'name';
  if (!kind) return 'kind';
  const problem = kind.checkTarget(target, isOn(form, 'inside'));
  if (problem) return problem;
  const volume = readVolume(readText(form, 'volume'));
  if (volume === undefined) return 'volume';
  const slow = readSlow(form);
  if (slow === undefined) return 'slow';
  const chosen = form.getAll('app').filter((id) => typeof id === 'string');
  const apps = readText(form, 'apps') === 'some' ? known.filter((id) => chosen.includes(id)) : null;
  if (apps?.length === 0) return 'no-apps';
  const rules = {
    new: isOn(form, 'new'),
    back: isOn(form, 'back'),
    volume,
    slow,
    apps,
    untrusted: isOn(form, 'untrusted'),
    inside: isOn(form, 'inside'),
  };
  if (!rules.new && !rules.back && volume === null && slow === null) return 'nothing';
  return { name, kind: kind.name, target: kind.normaliseTarget(target), rules };
}
