import { expect, type APIRequestContext } from 'playwright/test';

const digestPattern = /[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}/;

/** Loads a page that fails before its shell, and reads the digest in the server's own HTML. */
export async function breakPage(request: APIRequestContext, path: string): Promise<string> {
  const response = await request.get(path);
  expect(response.status()).toBe(500);
  const digest = digestPattern.exec(await response.text())?.[0];
  if (!digest) throw new Error(`The error page of ${path} shows no digest`);
  return digest;
}
