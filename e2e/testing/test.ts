import { test as base, expect, type ConsoleMessage, type Page } from 'playwright/test';

type Fixtures = {
  /**
   * Console errors that match are part of this journey. Any other console error, and any uncaught exception, in any
   * page of the test, fails it.
   */
  readonly expectConsoleErrors: (pattern: RegExp) => void;
};

/** What a browser says when a page breaks its policy. No pattern excuses it: a nonce may contain `404` by chance. */
const policyViolation = /Content Security Policy/;

export const test = base.extend<Fixtures>({
  expectConsoleErrors: [
    async ({ context }, use) => {
      const expected: RegExp[] = [];
      const seen: string[] = [];
      context.on('page', (page: Page) => {
        page.on('console', (message: ConsoleMessage) => {
          const isViolation = policyViolation.test(message.text());
          if (message.type() === 'error' || isViolation) seen.push(message.text());
        });
        page.on('pageerror', (error) => seen.push(String(error)));
      });
      await use((pattern) => void expected.push(pattern));
      const unexpected = seen.filter(
        (text) => policyViolation.test(text) || !expected.some((pattern) => pattern.test(text)),
      );
      expect(unexpected, 'console errors').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
