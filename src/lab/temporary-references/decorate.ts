'use server';

import { isRecord } from '#boundary';

type Decorated = { readonly title: string; readonly picture: unknown; readonly say: unknown };

/** Passes on what it cannot look into: to read a stand-in throws. */
export async function decorate(given: unknown): Promise<Decorated> {
  if (!isRecord(given)) return { title: 'Nothing was given', picture: null, say: null };
  const { title, picture, say } = given;
  return { title: typeof title === 'string' ? `${title.slice(0, 40)} and seen` : 'No title', picture, say };
}
