import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';

import type { APIRequestContext, Page } from 'playwright/test';

import { addApp } from './testing/add-app.ts';
import { openHydrated } from './testing/open-hydrated.ts';
import { openWithoutJavaScript } from './testing/open-without-javascript.ts';
import { expect, test } from './testing/test.ts';

type Message = { readonly body: string; readonly signature: string };
type Receiver = {
  readonly url: string;
  readonly messages: readonly Message[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** A real receiver, which takes everything. */
async function startReceiver(): Promise<Receiver> {
  const messages: Message[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      messages.push({ body, signature: String(request.headers['x-flight-signature']) });
      response.end('taken');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address !== 'string' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook?token=a-secret-of-the-hook`,
    messages,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isSigned({ body, signature }: Message, secret: string): boolean {
  const time = /^t=(\d+),/.exec(signature)?.[1] ?? '';
  return signature === `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

async function sendError(request: APIRequestContext, app: string, key: string, message: string): Promise<void> {
  const id = randomBytes(16).toString('hex');
  const error = {
    id,
    time: Date.now(),
    reporter: 'next',
    framework: 'next',
    digest: id.slice(0, 9),
    name: 'Error',
    message,
  };
  const response = await request.post(`/api/${app}/errors`, {
    headers: { authorization: `Bearer ${key}` },
    data: { errors: [error] },
  });
  expect(response.status()).toBeLessThan(300);
}

type Hook = { readonly name: string; readonly url: string; readonly app: string };

/** For one app: other journeys make faults of their own meanwhile. */
async function fillForm(page: Page, { name, url, app }: Hook): Promise<void> {
  const form = page.getByRole('form', { name: 'Add a channel' });
  await form.getByRole('radio', { name: /^Webhook/ }).check();
  await form.getByLabel('Name').fill(name);
  await form.getByRole('textbox', { name: 'Address' }).fill(url);
  await form.getByLabel('only these').check();
  await form.getByLabel(app, { exact: true }).check();
}

function itemOf(page: Page, name: string) {
  return page.getByRole('region', { name: 'Channels' }).getByRole('listitem').filter({ hasText: name });
}

/** Adds a channel after one refusal, tests it, waits for a fault, pauses and removes it. */
async function useChannel(page: Page, request: APIRequestContext, receiver: Receiver): Promise<void> {
  const app = `alerts-${randomUUID().slice(0, 8)}`;
  const key = await addApp(app);
  const name = `Hook ${app}`;
  await page.reload();
  await fillForm(page, { name, url: receiver.url, app });
  await page.getByLabel('a new fault').uncheck();
  await page.getByLabel('a fault that comes back').uncheck();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  // This machine is inside, and that was not allowed.
  await expect(page.getByText('That address is inside this server’s own network')).toBeVisible();
  // What was typed is still there.
  await expect(page.getByRole('textbox', { name: 'Address' })).toHaveValue(receiver.url);
  await expect(page.getByRole('radio', { name: /^Webhook/ })).toBeChecked();
  await expect(page.getByLabel(app, { exact: true })).toBeChecked();
  await expect(page.getByLabel('a new fault')).not.toBeChecked();
  const item = itemOf(page, name);
  await expect(item).toHaveCount(0);

  await page.getByLabel('The hook is in this server’s own network').check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('Choose at least one thing to be told.')).toBeVisible();
  await page.getByLabel('a new fault').check();
  await page.getByLabel('Milliseconds').fill('0');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('A time is 1 to 86,400,000 milliseconds')).toBeVisible();
  await page.getByLabel('Milliseconds').fill('800');
  await page.getByLabel('only the route').fill('/cart');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const signing = (await page.getByText(/^whsec_/).innerText()).trim();
  await expect(item).toContainText('/…hook');
  await expect(item).toContainText('the route /cart where more than 5 of 100 answers took longer than 800 ms');
  await expect(page.locator('body')).not.toContainText('a-secret-of');
  await item.getByRole('button', { name: 'Send a test' }).click();
  await expect(item.getByRole('status')).toContainText('The test was taken: status 200');
  await expect(page.getByText(signing)).toHaveCount(0);

  const message = `No stock in ${app}`;
  await sendError(request, app, key, message);
  await expect.poll(() => receiver.messages.length, { timeout: 20_000 }).toBe(2);
  const [told] = receiver.messages.slice(1);
  expect(told?.body).toContain(message);
  expect(told && isSigned(told, signing)).toBe(true);
  await page.goto('/alerts');
  const row = page.getByRole('table', { name: 'Sent messages' }).getByRole('row').filter({ hasText: message });
  await expect(row).toContainText('sent status 200');
  await row.getByRole('button', { name: 'Send again' }).click();
  await expect(row).toContainText('tried 2 times');
  expect(receiver.messages).toHaveLength(3);

  await item.getByRole('button', { name: 'Pause' }).click();
  await expect(item).toContainText('paused');
  await item.getByRole('button', { name: 'Resume' }).click();
  await expect(item).not.toContainText('paused');
  await item.getByText('Remove', { exact: true }).click();
  await item.getByRole('button', { name: `Remove ${name}` }).click();
  await expect(page.getByText('The channel is removed')).toBeVisible();
  await expect(row).toHaveCount(0);
}

test('a channel is added, tested, told of a new fault, paused and removed', async ({ page, request }) => {
  await using receiver = await startReceiver();
  await openHydrated(page, '/operator');
  await page.getByRole('link', { name: 'Who is told of new faults' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Alerts');
  await useChannel(page, request, receiver);
});

test('all of it works without JavaScript', async ({ browser, baseURL, request }) => {
  await using receiver = await startReceiver();
  const page = await openWithoutJavaScript(browser, baseURL);
  await page.goto('/alerts');
  await useChannel(page, request, receiver);
});
