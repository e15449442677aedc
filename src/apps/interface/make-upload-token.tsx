import { makeUploadToken } from '#src/apps/actions/make-upload-token.ts';
import { tokenProblems } from '#src/access/interface/token-problems.ts';
import { TokenFields } from '#src/access/interface/token-fields.tsx';
import { TokenTable } from '#src/access/interface/token-table.tsx';
import type { ApiToken, MadeToken } from '#src/access/tokens.ts';

type MakeUploadTokenProps = {
  readonly app: { readonly id: string; readonly name: string };
  /** Those of this app. */
  readonly tokens: readonly ApiToken[];
  readonly made: MadeToken | undefined;
  readonly now: number;
};

/** Who may upload source maps of an app, and the form for one more. It works without JavaScript. */
export function MakeUploadToken({ app, tokens, made, now }: MakeUploadTokenProps) {
  return (
    <>
      <div role="status">
        {made?.type === 'made' ? (
          <p>The token “{made.token.name}” is made. It is not shown again: copy the commands above now.</p>
        ) : null}
        {made?.type === 'refused' ? <p className="font-medium text-error">{tokenProblems[made.problem]}</p> : null}
      </div>
      {tokens.length > 0 ? <TokenTable tokens={tokens} apps={[app]} now={now} /> : null}
      <details>
        <summary>Make an upload token</summary>
        <form action={makeUploadToken} className="stack-3 pt-3">
          <input type="hidden" name="app" value={app.id} />
          <TokenFields />
          <button className="button-small">Make the upload token</button>
        </form>
      </details>
    </>
  );
}
