import { chromium } from 'playwright-core';
const b = await chromium.launch({ executablePath: process.env.CHROME, args: ['--no-sandbox'] });
const base = 'http://127.0.0.1:4310';
const list = JSON.parse(process.argv[2]);
for (const [name, path, w = 1280, dark = false, js = true] of list) {
  const c = await b.newContext({
    viewport: { width: w, height: 800 },
    colorScheme: dark ? 'dark' : 'light',
    javaScriptEnabled: js,
  });
  const p = await c.newPage();
  const errs = [];
  p.on('console', (m) => m.type() === 'error' && errs.push(m.text()));
  await p.goto(base + path);
  await p.waitForTimeout(1200);
  const over = await p.evaluate(() => document.documentElement.scrollWidth > innerWidth).catch(() => '?');
  await p.screenshot({ path: `/tmp/shots/${name}.png`, fullPage: true });
  console.log(name, 'sideways', over, errs.slice(0, 2).join('|'));
  await c.close();
}
await b.close();
