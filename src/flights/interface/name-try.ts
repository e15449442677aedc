import type { TryRule } from '../flight/forged-try.ts';

/** What each kind of try is, for a person who does not know the format. */
const words: Readonly<Record<TryRule, string>> = {
  envelope: 'Form data that no browser writes',
  spelling: 'JSON that no client spells so',
  name: 'A field that is no part',
  form: 'A form that no client sends',
  path: 'A reference to what was not sent',
  circle: 'References without an end',
  missing: 'A part that did not come',
  unreferenced: 'A part that nothing refers to',
  twice: 'A part that is used twice',
  shape: 'A part that is not what is said of it',
  order: 'Parts in an order that no client writes',
  size: 'More than a server takes',
  'unknown-action': 'An action that no build has',
};

export function nameTry(rule: string): string {
  return Object.entries(words).find(([known]) => known === rule)?.[1] ?? rule;
}
