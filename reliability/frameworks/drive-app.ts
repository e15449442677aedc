import { chromium, type Browser, type Page } from 'playwright';

import { findInstalledBrowser } from '../../scripts/find-browser.mjs';

/**
 * The journey that each app is taken through. All of them have the same pages, links and buttons, so one journey does
 * for all. Each document is opened with an empty cache: with Next.js, a request that an earlier page gave up can keep
 * Chromium's cache entry locked, and the next one for the same address waits for 20 s.
 */
export type StepName =
  | 'home'
  | 'hover-third'
  | 'click-heavy'
  | 'click-blog'
  | 'click-about'
  | 'document-blog'
  | 'home-for-about'
  | 'home-for-boom'
  | 'home-for-late'
  | 'document-boom'
  | 'click-boom'
  | 'document-late'
  | 'click-late'
  | 'document-act'
  | 'greet'
  | 'fail'
  | 'send-form';

type Visitor = {
  readonly page: () => Page;
  /** Opens an address as somebody who was never here: without cookies, and with an empty cache. */
  readonly open: (path: string, options?: { javaScriptEnabled: boolean }) => Promise<unknown>;
};

type Step = { readonly name: StepName; readonly act: (visitor: Visitor) => Promise<unknown> };

const clickLink = (visitor: Visitor, name: string) =>
  visitor.page().getByRole('link', { name, exact: true }).click({ timeout: 5_000 });
const clickButton = (visitor: Visitor, name: string) =>
  visitor.page().getByRole('button', { name, exact: true }).click();

const steps: readonly Step[] = [
  { name: 'home', act: (visitor) => visitor.open('/') },
  {
    name: 'hover-third',
    // Only where a link can be prefetched when the pointer comes over it.
    act: async (visitor) => {
      const link = visitor.page().getByRole('link', { name: 'Third post', exact: true });
      if ((await link.count()) > 0) await link.hover();
    },
  },
  { name: 'click-heavy', act: (visitor) => clickLink(visitor, 'Heavy') },
  { name: 'click-blog', act: (visitor) => clickLink(visitor, 'First post') },
  { name: 'document-blog', act: (visitor) => visitor.open('/blog/second') },
  { name: 'home-for-about', act: (visitor) => visitor.open('/') },
  { name: 'click-about', act: (visitor) => clickLink(visitor, 'About') },
  { name: 'document-boom', act: (visitor) => visitor.open('/boom') },
  { name: 'home-for-boom', act: (visitor) => visitor.open('/') },
  { name: 'click-boom', act: (visitor) => clickLink(visitor, 'Boom') },
  { name: 'document-late', act: (visitor) => visitor.open('/late') },
  { name: 'home-for-late', act: (visitor) => visitor.open('/') },
  { name: 'click-late', act: (visitor) => clickLink(visitor, 'Late') },
  { name: 'document-act', act: (visitor) => visitor.open('/act') },
  { name: 'greet', act: (visitor) => clickButton(visitor, 'Greet') },
  { name: 'fail', act: (visitor) => clickButton(visitor, 'Fail') },
  {
    name: 'send-form',
    act: async (visitor) => {
      await visitor.open('/act', { javaScriptEnabled: false });
      const button = visitor.page().getByRole('button', { name: 'Send', exact: true });
      if ((await button.count()) > 0) await button.click();
    },
  },
];

export async function openBrowser(): Promise<Browser> {
  const executablePath = findInstalledBrowser();
  return await chromium.launch({ ...(executablePath ? { executablePath } : {}), args: ['--no-sandbox'] });
}

type Recording = {
  readonly origin: string;
  readonly beginStep: (step: string) => void;
  readonly settle: () => Promise<void>;
};

/** What the visitor saw at the end of a step. */
export type Seen = {
  readonly heading: string | null;
  /** The text of `#digest`, which each app's error page shows. Null: there was no error page. */
  readonly digest: string | null;
  /** The text of `#result`, which the page with the actions shows. */
  readonly result: string | null;
};

async function look(page: Page): Promise<Seen> {
  const read = async (selector: string) =>
    (await page.locator(selector).count()) === 0 ? null : await page.locator(selector).first().textContent();
  return { heading: await read('h1'), digest: await read('#digest'), result: await read('#result') };
}

export async function driveApp(browser: Browser, recording: Recording): Promise<ReadonlyMap<StepName, Seen>> {
  let page: Page = await browser.newPage();
  const seen = new Map<StepName, Seen>();
  const visitor: Visitor = {
    page: () => page,
    open: async (address, options) => {
      await page.context().close();
      page = await (await browser.newContext(options)).newPage();
      await page.goto(`${recording.origin}${address}`);
    },
  };
  for (const { name, act } of steps) {
    recording.beginStep(name);
    await act(visitor);
    await recording.settle();
    seen.set(name, await look(page));
  }
  return seen;
}
