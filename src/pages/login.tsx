import { LoginPanel } from '#src/access/interface/login-panel.tsx';
import { hasSessionEnded } from '#src/access/ended-session.ts';
import { toNextPath } from '#src/access/next-path.ts';
import { currentFailedLogin } from '#src/access/login-failure.ts';
import { readPasswordState } from '#src/access/password.ts';
import { currentRequest } from '#src/server/http/request-context.ts';

export default async function LoginPage({ query }: { query: string }) {
  const failure = currentFailedLogin();
  const next = failure?.next ?? toNextPath(new URLSearchParams(query).get('next'));
  const password = await readPasswordState();
  return (
    <>
      <title>Sign in · Flight Recorder</title>
      <LoginPanel
        next={next}
        failure={failure && { problem: failure.problem, wait: failure.wait }}
        takesPassword={password !== 'none'}
        isDatabaseAway={password === 'unknown'}
        hasSessionEnded={failure === undefined && hasSessionEnded()}
        isSignedIn={currentRequest()?.operator !== undefined}
      />
    </>
  );
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
