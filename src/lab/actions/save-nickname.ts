'use server';

export type NicknameState =
  | { readonly status: 'empty' }
  | { readonly status: 'refused'; readonly reason: string; readonly attempts: number; readonly typed: string }
  | { readonly status: 'saved'; readonly nickname: string; readonly attempts: number };

const longest = 20;

/** The previous state comes from the browser, so it is checked like the form. */
function countAttempts(previous: unknown): number {
  const attempts =
    typeof previous === 'object' && previous !== null && 'attempts' in previous ? previous.attempts : undefined;
  return typeof attempts === 'number' && Number.isInteger(attempts) && attempts < 1000 ? attempts + 1 : 1;
}

export async function saveNickname(previous: unknown, form: FormData): Promise<NicknameState> {
  const attempts = countAttempts(previous);
  const nickname = form.get('nickname');
  if (typeof nickname !== 'string' || nickname.trim() === '') {
    return { status: 'refused', reason: 'A nickname has at least one letter.', attempts, typed: '' };
  }
  if (nickname.length > longest) {
    return { status: 'refused', reason: `A nickname has at most ${longest} letters.`, attempts, typed: nickname };
  }
  return { status: 'saved', nickname: nickname.trim(), attempts };
}
