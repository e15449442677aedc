/** Why a sign-in failed, in the words that are shown. The browser needs them too, so this is not a server module. */
export const loginProblems = {
  'link-unknown': { status: 401, message: 'This is not a login link of this server. Check that it was copied whole.' },
  'link-used': { status: 401, message: 'This login link was used already. Each one works once.' },
  'link-expired': { status: 401, message: 'This login link is too old. Make a new one: each works for some minutes.' },
  'wrong-password': { status: 401, message: 'That is not the password.' },
  'nothing-given': { status: 400, message: 'Give the code of a login link, or the password.' },
  'too-many-attempts': { status: 429, message: 'Too many attempts from here.' },
} as const;

export type LoginProblem = keyof typeof loginProblems;

export function isLoginProblem(value: unknown): value is LoginProblem {
  return typeof value === 'string' && Object.hasOwn(loginProblems, value);
}

/** A sign-in that failed. */
export type LoginFailure = {
  readonly problem: LoginProblem;
  /** Seconds until another attempt is accepted; 0 when it is accepted now. */
  readonly wait: number;
};
