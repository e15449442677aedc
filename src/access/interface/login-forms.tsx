'use client';

import { useEffect, useLayoutEffect, useRef, useState, type FormEvent } from 'react';

import { loginPath } from '#src/server/http/addresses.ts';
import { loginProblems, type LoginFailure } from '#src/access/login-problems.ts';

import { sendLogin } from './send-login.ts';

type Attempt =
  | { readonly state: 'idle' }
  | { readonly state: 'sending' }
  /** The next page is loading; there is nothing more to do here. */
  | { readonly state: 'leaving' }
  | { readonly state: 'refused'; readonly failure: LoginFailure }
  | { readonly state: 'failed'; readonly status: number | undefined };

type LoginFormsProps = {
  readonly next: string;
  /** From a form that the browser submitted itself. */
  readonly failure: LoginFailure | undefined;
  readonly takesPassword: boolean;
};

function describe(attempt: Attempt): string | undefined {
  switch (attempt.state) {
    case 'idle':
      return undefined;
    case 'sending':
    case 'leaving':
      return 'Signing in …';
    case 'refused': {
      const { problem, wait } = attempt.failure;
      const again = wait > 0 ? ` Try again in ${wait} second${wait === 1 ? '' : 's'}.` : '';
      return loginProblems[problem].message + again;
    }
    case 'failed':
      return attempt.status === undefined
        ? 'The server could not be reached. A login link that did not reach it still works.'
        : `The server refused that (status ${attempt.status}).`;
  }
}

/**
 * A browser that was sent here from another page keeps what stood behind that page's `#`, such as the place in a flight. A login
 * link leads here without `?next=`.
 */
function isSentHere(): boolean {
  return new URLSearchParams(window.location.search).has('next');
}

/** What a login link's code looks like: src/access/secret.ts. */
const codePattern = /^[\w-]{43}$/;

/**
 * The link's code stands only behind the `#`. It is removed from the address bar, and so from the history, before
 * anything else reads the address. The server then sees it in the body of a POST.
 */
function takeCodeFromAddress(): string {
  const code = window.location.hash.slice(1);
  if (isSentHere() && !codePattern.test(code)) return '';
  if (code) window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
  return code;
}

async function attemptLogin(fields: URLSearchParams, report: (attempt: Attempt) => void): Promise<void> {
  report({ state: 'sending' });
  const answer = await sendLogin(fields);
  switch (answer.outcome) {
    case 'signed-in':
      report({ state: 'leaving' });
      // With the place on that page, where this address still has it.
      window.location.replace(answer.next + (isSentHere() ? window.location.hash : ''));
      return;
    case 'refused':
      report({ state: 'refused', failure: answer.failure });
      return;
    case 'failed':
      report({ state: 'failed', status: answer.status });
  }
}

/**
 * Sends the code in the address bar, once. Also sends the code of a link that is opened over this page, because that
 * loads nothing.
 */
function useCodeOfAddress(next: string, report: (attempt: Attempt) => void): void {
  const code = useRef('');
  useLayoutEffect(() => {
    // Development runs effects twice. At the second run the address has no code any more.
    code.current ||= takeCodeFromAddress();
  }, []);
  useEffect(() => {
    function send(taken: string): void {
      if (taken) void attemptLogin(new URLSearchParams({ code: taken, next }), report);
    }
    function takeAnother(): void {
      send(takeCodeFromAddress());
    }
    send(code.current);
    code.current = '';
    window.addEventListener('hashchange', takeAnother);
    return () => window.removeEventListener('hashchange', takeAnother);
  }, [next, report]);
}

function toFields(form: HTMLFormElement): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') fields.append(name, value);
  return fields;
}

/** Two plain forms that work without JavaScript. With JavaScript, the answer is shown in place. */
export function LoginForms({ next, failure, takesPassword }: LoginFormsProps) {
  const [attempt, setAttempt] = useState<Attempt>(failure ? { state: 'refused', failure } : { state: 'idle' });
  useCodeOfAddress(next, setAttempt);
  const isBusy = attempt.state === 'sending' || attempt.state === 'leaving';

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isBusy) void attemptLogin(toFields(event.currentTarget), setAttempt);
  }

  const message = describe(attempt);
  return (
    <div className="stack-4">
      <p role="status" aria-live="polite" className={isBusy || !message ? 'text-quiet' : 'font-medium text-error'}>
        {message}
      </p>
      {takesPassword ? (
        <form method="post" action={loginPath} onSubmit={submit} className="stack-1.5">
          <input type="hidden" name="next" value={next} />
          <input type="text" name="account" autoComplete="username" defaultValue="operator" hidden readOnly />
          <label htmlFor="password" className="block">
            Password
          </label>
          <div className="flex max-w-md flex-wrap gap-2">
            <input
              id="password"
              name="password"
              type="password"
              required
              autoComplete="current-password"
              className="h-11 w-0 min-w-44 flex-1"
            />
            <button type="submit" disabled={isBusy} className="button-primary h-11">
              Sign in
            </button>
          </div>
        </form>
      ) : null}
      <form method="post" action={loginPath} onSubmit={submit} className="stack-1.5">
        <input type="hidden" name="next" value={next} />
        <label htmlFor="code" className="block">
          Login link, or its code
        </label>
        <div className="flex max-w-md flex-wrap gap-2">
          <input
            id="code"
            name="code"
            type="text"
            required
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            aria-describedby="code-hint"
            className="h-11 w-0 min-w-44 flex-1 font-mono"
          />
          <button type="submit" disabled={isBusy} className="button-primary h-11">
            Sign in
          </button>
        </div>
        <p id="code-hint" className="text-sm text-quiet">
          Opening the link signs you in by itself. The code is the text after its #.
        </p>
      </form>
    </div>
  );
}
