'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { revokeSession as revoke } from '#src/access/signed-in.ts';

export type RevokeState = { readonly status: 'idle' } | { readonly status: 'gone' };

/** The form may name anything. Its whole text is looked up, and text that is not the name of a session ends none. */
export async function revokeSession(_previous: unknown, form: FormData): Promise<RevokeState> {
  const id = form.get('id');
  const wasThere = typeof id === 'string' && (await revoke(id));
  rerenderRoute();
  return { status: wasThere ? 'idle' : 'gone' };
}
