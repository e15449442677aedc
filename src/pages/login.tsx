import { LoginPanel } from '#src/components/login/login-panel.tsx';
import { hasSessionEnded } from '#src/operator/ended-session.ts';
import { toNextPath } from '#src/operator/next-path.ts';
import { currentFailedLogin } from '#src/operator/login-failure.ts';
import { readPasswordState } from '#src/operator/password.ts';
import { currentRequest } from '#src/http/request-context.ts';

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
