'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { addEntry } from './entries';

function readText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim().slice(0, 200) : '';
}

/** @returns what to tell the visitor */
export async function sign(_: string, form: FormData): Promise<string> {
  const [name, text] = [readText(form, 'name'), readText(form, 'text')];
  if (name === '' || text === '') return 'A name and a text, please.';
  if (!addEntry(name, text)) return 'The book is full.';
  rerenderRoute('/');
  return `Thank you, ${name}.`;
}
