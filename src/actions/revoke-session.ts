'use server';

import { unstable_rerenderRoute as rerenderRoute } from 'waku/router/server';

import { revokeSession as revoke } from '#src/operator/signed-in.ts';

export type RevokeState = { readonly status: 'idle' } | { readonly status: 'gone' };

/** Whatever the form names is looked up by its whole text; a name that is none is the name of no session. */
export async function revokeSession(_previous: unknown, form: FormData): Promise<RevokeState> {
  const id = form.get('id');
  const wasThere = typeof id === 'string' && (await revoke(id));
  rerenderRoute();
  return { status: wasThere ? 'idle' : 'gone' };
}
