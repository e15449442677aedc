import type { Browser, Page } from 'playwright';

/**
 * The journey that each app is taken through. All of them have the same pages, links and buttons, so one journey does
 * for all. `onStep` runs before a step, `settle` after it.
 */
export type StepName =
  | 'home'
  | 'hover-heavy'
  | 'click-heavy'
  | 'click-blog'
  | 'click-about'
  | 'document-blog'
  | 'document-boom'
  | 'click-boom'
  | 'document-late'
  | 'click-late'
  | 'document-act'
  | 'greet'
  | 'fail';

type Step = { readonly name: StepName; readonly act: (page: Page, origin: string) => Promise<unknown> };

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const steps: readonly Step[] = [
  { name: 'home', act: (page, origin) => page.goto(`${origin}/`) },
  { name: 'hover-heavy', act: (page) => link(page, 'Heavy').hover() },
  { name: 'click-heavy', act: (page) => link(page, 'Heavy').click() },
  { name: 'click-blog', act: (page) => link(page, 'First post').click() },
  { name: 'click-about', act: (page, origin) => clickFromHome(page, origin, 'About') },
  { name: 'document-blog', act: (page, origin) => page.goto(`${origin}/blog/second`) },
  { name: 'document-boom', act: (page, origin) => page.goto(`${origin}/boom`) },
  { name: 'click-boom', act: (page, origin) => clickFromHome(page, origin, 'Boom') },
  { name: 'document-late', act: (page, origin) => page.goto(`${origin}/late`) },
  { name: 'click-late', act: (page, origin) => clickFromHome(page, origin, 'Late') },
  { name: 'document-act', act: (page, origin) => page.goto(`${origin}/act`) },
  { name: 'greet', act: (page) => button(page, 'Greet').click() },
  { name: 'fail', act: (page) => button(page, 'Fail').click() },
];

async function clickFromHome(page: Page, origin: string, name: string): Promise<void> {
  await page.goto(`${origin}/`, { waitUntil: 'networkidle' });
  await link(page, name).click();
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
  const context = await browser.newContext();
  const page = await context.newPage();
  const seen = new Map<StepName, Seen>();
  try {
    for (const { name, act } of steps) {
      recording.beginStep(name);
      await act(page, recording.origin);
      await recording.settle();
      seen.set(name, await look(page));
    }
  } finally {
    await context.close();
  }
  return seen;
}
