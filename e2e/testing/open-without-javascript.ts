import type { Browser, Page } from 'playwright/test';

import { operatorState } from './login-link.ts';

/** A page of the operator's, without JavaScript. */
export async function openWithoutJavaScript(browser: Browser, baseURL: string | undefined): Promise<Page> {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    storageState: operatorState,
    ...(baseURL ? { baseURL } : {}),
  });
  return context.newPage();
}
