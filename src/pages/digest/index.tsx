import { unstable_redirect as redirect } from 'waku/router/server';

import { digestPath } from '#src/http/addresses.ts';
import { LookUpForm } from '#src/components/look-up-form.tsx';
import { formatDigest, parseDigest } from '#src/runtime/errors/digest.ts';

/** Enough to recognise what was pasted. A digest has eleven characters. */
const typedShown = 200;

export default function LookUpPage({ query }: { query: string }) {
  const typed = new URLSearchParams(query).get('code')?.trim() ?? '';
  const digest = parseDigest(typed);
  if (digest) redirect(digestPath(formatDigest(digest)));
  return (
    <div className="stack-5">
      <title>Look up a digest · Flight Recorder</title>
      <h1>Look up a digest</h1>
      {typed ? (
        <LookUpForm
          typed={typed.slice(0, typedShown)}
          problem="This cannot be a digest: a digest has ten letters and digits and never a U."
        />
      ) : (
        <LookUpForm />
      )}
    </div>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
