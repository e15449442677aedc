import { beforeEach, expect, it, vi } from 'vitest';

let recorder: typeof import('./breadcrumbs.ts');

/** Starts as a new document: each test restores what the previous one wrapped. */
beforeEach(async () => {
  vi.resetModules();
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  recorder = await import('./breadcrumbs.ts');
  recorder.recordBreadcrumbs('/reports');
});

/** All breadcrumbs but the document's own. */
function readLater() {
  return recorder.copyBreadcrumbs().filter(({ category }) => category !== 'document');
}

function readMessages(): (string | undefined)[] {
  return readLater().map(({ message }) => message);
}

it('begins with the document, at the time when it began', () => {
  expect(recorder.copyBreadcrumbs()).toEqual([
    {
      timestamp: performance.timeOrigin / 1000,
      category: 'document',
      message: recorder.describeAddress(location.href),
    },
  ]);
});

it('keeps the newest hundred, in order', () => {
  for (let n = 0; n < 130; n += 1) console.warn(`crumb ${n}`);
  expect(recorder.countBreadcrumbs()).toBe(100);
  expect(readMessages()[0]).toBe('crumb 30');
  expect(readMessages().at(-1)).toBe('crumb 129');
});

it('names what was clicked by what its author wrote', () => {
  document.body.innerHTML =
    '<form id="login"><p>typed by somebody</p><label aria-label="Word"><input name="word" value="hunter2"></label>' +
    '<button type="submit"><b>hunter2</b></button></form>';
  document.querySelector('b')?.click();
  document.querySelector('input')?.click();
  expect(readMessages()).toEqual([
    'body:nth-child(2) > form[id="login"]:nth-child(1) > button[type="submit"]:nth-child(3)',
    'form[id="login"]:nth-child(1) > label[aria-label="Word"]:nth-child(2) > input[name="word"]:nth-child(1)',
  ]);
});

it('says of an address its path and the names of its parameters', () => {
  const { origin } = location;
  expect(recorder.describeAddress('/login?next=/a&code=4711#token=hunter2')).toBe('/login?next&code');
  expect(recorder.describeAddress(`${origin}/a`)).toBe('/a');
  expect(recorder.describeAddress('https://user:hunter2@shop.test/a?b=c')).toBe('https://shop.test/a?b');
  expect(recorder.describeAddress('data:text/plain,hunter2')).toBe('data:');
  expect(recorder.describeAddress('http://[')).toBe('');
  expect(recorder.describeAddress(`/${'a'.repeat(1_000)}`).length).toBe(200);
});

it('says where a navigation led, and nothing of an address that stays', () => {
  history.pushState(null, '', '/first?secret=1');
  history.replaceState({ scroll: 1 }, '', '/first?secret=2#hash');
  history.replaceState(null, '', '/second');
  const [first, ...others] = readLater();
  expect(first?.data).toMatchObject({ to: '/first?secret' });
  expect(others.map(({ data }) => data)).toEqual([{ from: '/first?secret', to: '/second' }]);
});

it('lets the console say what has no text', () => {
  console.warn('before', Object.create(null));
  console.warn('x'.repeat(1_000));
  expect(readMessages()).toEqual(['x'.repeat(200)]);
});

it('is copied as it is now', async () => {
  const request = fetch('data:,x');
  const [before] = readLater();
  await request;
  expect(before?.data).toEqual({ method: 'GET', url: 'data:' });
  expect(readLater()[0]?.data).toEqual({
    method: 'GET',
    url: 'data:',
    status_code: 200,
    ms: expect.any(Number),
  });
});

it('names a script and a style sheet that could not be loaded, without values, and no picture', () => {
  const script = Object.assign(document.createElement('script'), { src: '/assets/cart.js?key=hunter2' });
  const link = Object.assign(document.createElement('link'), { href: 'https://cdn.test/a.css' });
  for (const target of [script, link, document.createElement('img'), window, null]) {
    recorder.noteMissingFile(target, 5_000);
  }
  expect(readLater()).toEqual([
    { timestamp: 5, category: 'resource', level: 'error', message: '<script> could not load /assets/cart.js?key' },
    { timestamp: 5, category: 'resource', level: 'error', message: '<link> could not load https://cdn.test/a.css' },
  ]);
});
