import 'server-only';

import type { NewToken } from './tokens.ts';

/** What the forms of all tokens have. The days are a number, or nothing for no end; what is no number is refused with what is none. */
export function readTokenForm(form: FormData): Pick<NewToken, 'name' | 'days' | 'id'> {
  const [name, days, id] = [form.get('name'), form.get('days'), form.get('id')];
  return {
    name: typeof name === 'string' ? name : '',
    days: days === '' ? undefined : Number(days),
    id: typeof id === 'string' ? id : undefined,
  };
}
