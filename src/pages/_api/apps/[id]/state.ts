import { markAppState, markDeletions } from '#src/pages/_components/apps/read-app-state.ts';
import { requireOperator } from '#src/access/require-operator.ts';
import { ownApp } from '#src/store/own-app.ts';

type Context = { readonly params: { readonly id: string } };

/** A text of a few words; who has another one loads the page again. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  requireOperator();
  const mark = params.id === ownApp ? await markDeletions() : await markAppState(params.id);
  return new Response(mark, {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'private, no-store' },
  });
}
