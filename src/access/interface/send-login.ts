import { loginPath } from '#src/server/http/addresses.ts';
import { isLoginProblem, type LoginFailure } from '#src/access/login-problems.ts';

/** The result of an attempt. `failed`: no answer, or an answer that this page does not know. */
export type LoginAnswer =
  | { readonly outcome: 'signed-in'; readonly next: string }
  | { readonly outcome: 'refused'; readonly failure: LoginFailure }
  | { readonly outcome: 'failed'; readonly status: number | undefined };

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    // The answer is not from this server, so only its status is known.
    return undefined;
  }
}

function readKey(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** Sends the form's fields to the login page's address. Never rejects. */
export async function sendLogin(fields: URLSearchParams): Promise<LoginAnswer> {
  let response: Response;
  try {
    response = await fetch(loginPath, { method: 'POST', body: fields, headers: { accept: 'application/json' } });
  } catch {
    return { outcome: 'failed', status: undefined };
  }
  const body = await readJson(response);
  const next = readKey(body, 'next');
  if (response.ok && typeof next === 'string') return { outcome: 'signed-in', next };
  const problem = readKey(readKey(body, 'error'), 'code');
  if (!isLoginProblem(problem)) return { outcome: 'failed', status: response.status };
  return { outcome: 'refused', failure: { problem, wait: Number(response.headers.get('retry-after') ?? 0) || 0 } };
}
