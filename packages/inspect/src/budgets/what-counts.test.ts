import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { checkBudget, type Checked } from './check-budget.ts';
import { type LoadedFlight, openLoaded } from './open-loaded.ts';
import { flightMatchers } from './playwright/index.ts';
import { readBudget } from './read-budget.ts';
import { expectFlight, readFlightShape } from './vitest/index.ts';

const encoder = new TextEncoder();
const payload = '0:["$","main",null,{"children":"Nothing to see."}]\n';
const withHole = '0:["$","main",null,{"children":"$L1"}]\n';

function makePage(text: string): string {
  return `<!doctype html><script>(self.__FLIGHT_DATA||=[]).push(${JSON.stringify(text)})</script>`;
}

function makeFlight(text: string, facts: Partial<LoadedFlight> = {}): LoadedFlight {
  return { title: 'GET /shop', bytes: encoder.encode(text), chunks: [], ...facts };
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flight-recorder-counts-'));
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function check(flights: readonly LoadedFlight[], budget: unknown): Promise<Checked> {
  const keep = (name: string): string => path.join(folder, name);
  return checkBudget({ name: 'GET /shop', flights }, readBudget(budget), () => ({ keep, testName: 'shop' }));
}

describe('an error page', () => {
  it.each([400, 404, 500])('of status %i keeps no budget, and its status is named', async (status) => {
    const response = new Response(payload, { status });
    await expect(expectFlight(response).toStayWithin({ bytes: '1MB' })).rejects.toThrow(
      `the response, status ${status} is an error page: if it is meant, say status: ${status} in the budget`,
    );
    await expect(readFlightShape(new Response(payload, { status }))).rejects.toThrow(`status ${status}`);
  });

  it('is measured where the budget names its status', async () => {
    await expectFlight(new Response(payload, { status: 404 })).toStayWithin({ bytes: '1kB', status: 404 });
    const other = expectFlight(new Response(payload, { status: 500 })).toStayWithin({ bytes: '1kB', status: 404 });
    await expect(other).rejects.toThrow('the response, status 500 is an error page');
    const none = expectFlight(new Response(payload)).toStayWithin({ bytes: '1kB', status: 404 });
    await expect(none).rejects.toThrow('was expected to answer with status 404, and nothing did');
  });

  it.each([99, 600, '404', 4.5])('has no status %j', (status) => {
    expect(() => readBudget({ bytes: 1, status })).toThrow('budget: status must be that of a response, such as 404');
  });

  it('needs a limit besides', () => {
    expect(() => readBudget({ status: 404 })).toThrow('budget: it has no limit');
  });
});

describe('rows that never came', () => {
  it('are an error in a document, and named', async () => {
    const page = expectFlight(makePage(withHole)).toStayWithin({ bytes: '1MB' });
    await expect(page).rejects.toThrow('the payload is halted: 1 row promised and never sent (1)');
  });

  it('are none in what a router asked for', async () => {
    await expectFlight(withHole).toStayWithin({ bytes: '1MB' });
  });
});

describe('a payload that the page gave up', () => {
  it('counts as what came of it', async () => {
    const cut = payload.slice(0, 30);
    const given = [makeFlight(cut, { isGivenUp: true })];
    expect(await check(given, { bytes: 30 })).toMatchObject({ isWithin: true });
    expect(await check(given, { bytes: 29 })).toMatchObject({ message: expect.stringContaining(': 1 byte over') });
    await expect(check([makeFlight(cut)], { bytes: 30 })).rejects.toThrow('truncated');
  });
});

describe('many payloads', () => {
  it('are written by weight, under the numbers of the message', async () => {
    const flights = Array.from({ length: 8 }, (_, index) =>
      makeFlight(payload.replace('Nothing', 'x'.repeat(10 * index))),
    );
    const { message } = await check(flights, { bytes: 1 });
    expect(readdirSync(folder).toSorted()).toEqual([
      'shop-4.rsc',
      'shop-5.rsc',
      'shop-6.rsc',
      'shop-7.rsc',
      'shop-8.rsc',
    ]);
    expect(message).toMatch(/\n {2}flight 8: GET \/shop: 114 B\n/);
    expect(message).toMatch(
      /shop-8\.rsc\n.*shop-7\.rsc\n[^]*shop-4\.rsc\n {2}and 3 more, which are smaller and not written$/,
    );
  });

  it('are all written when they are few', async () => {
    const { message } = await check([makeFlight(payload), makeFlight(payload)], { bytes: 1 });
    expect(existsSync(path.join(folder, 'shop-2.rsc'))).toBe(true);
    expect(message).not.toContain('more');
  });

  it('add up what they say of one client module', async () => {
    const chart = `2:I["/assets/chart-X1.js",[],"Chart"]\n`;
    const asValue = `${chart}0:["$","main",null,{"data-chart":"$2"}]\n`;
    const asElement = `${chart}0:["$","main",null,{"children":["$","$L2",null,{}]}]\n`;
    const { message } = await check([makeFlight(asValue), makeFlight(asElement)], { clientModules: 0 });
    expect(message).toContain(`Chart of /assets/chart-X1.js: 2 uses, ${2 * chart.length} B`);
  });
});

describe('messages', () => {
  it('have bytes where rounding would hide the difference', async () => {
    const flight = makeFlight(payload.replace('Nothing', 'x'.repeat(23_000)));
    const size = flight.bytes.length;
    const { message } = await check([flight], { bytes: size - 1 });
    expect(message).toContain('payload 23,044 bytes, limit 23,043 bytes: 1 byte over');
  });

  it('name a payload once', async () => {
    const { flights } = await openLoaded('the payload', encoder.encode(payload));
    expect(flights.map(({ title }) => title)).toEqual(['the payload']);
  });

  it('have the figures of what was expected to be over', async () => {
    const { pass, message } = await flightMatchers.toStayWithinFlightBudget(payload, { bytes: '1kB' });
    expect([pass, message()]).toEqual([
      true,
      expect.stringMatching(
        /^the payload is within .*: payload 51 B, \d+ B gzip, 0 B of duplicates, 0 client modules$/,
      ),
    ]);
  });

  it.each([
    ['/products', '"/products" is neither a whole address'],
    ['./list.rsc', '"./list.rsc" is neither a whole address'],
    ['http://127.0.0.1:1/products', 'GET /products at http://127.0.0.1:1: '],
    ['http://127.0.0.1:1/products', 'is the app running?'],
    [null, 'there is no response (null)'],
    [{ locator: 1 }, 'a page of Playwright in flight-recorder/playwright; this is an object with locator'],
  ])('say what is wrong with %j', async (source, message) => {
    await expect(expectFlight(source).toStayWithin({ bytes: 1 })).rejects.toThrow(message);
  });
});
