import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { sendReport } from './report-errors.ts';

const { delivered } = vi.hoisted(() => ({ delivered: [] as string[] }));
vi.mock('#src/runtime/reporting/deliver-reports.ts', () => ({
  deliver: (envelope: string) => delivered.push(envelope),
  startDelivery: () => undefined,
}));

beforeEach(() => {
  delivered.length = 0;
  // happy-dom has none.
  vi.stubGlobal('PerformanceNavigationTiming', Event);
});

afterEach(() => vi.unstubAllGlobals());

/** What the fault would be called. */
function reportAs(error: unknown): unknown {
  sendReport({ error, mechanism: 'promise', componentStack: undefined, time: 1 });
  const event: unknown = JSON.parse(delivered.at(-1)?.split('\n')[2] ?? '{}');
  return Object(event).exception[0].value;
}

function fail(tag: string, attribute: string, address: string): Event {
  const element = document.createElement(tag);
  element.setAttribute(attribute, address);
  const event = new Event('error');
  element.dispatchEvent(event);
  return event;
}

it('names the element and the address of what could not be loaded, and no value of a query', () => {
  const fonts = 'https://fonts.example/css2?family=Nunito';
  expect(reportAs(fail('link', 'href', fonts))).toBe('<link> could not load https://fonts.example/css2?family');
  expect(reportAs(fail('script', 'src', '/a.js'))).toBe('<script> could not load /a.js');
});

it('names an element without an address, and nothing where there is no element', () => {
  const event = new Event('error');
  document.createElement('video').dispatchEvent(event);
  expect(reportAs(event)).toBe('<video> could not load ');
  expect(reportAs(new Event('abort'))).toMatch(/^\[object /);
});

it('leaves an error as it is', () => {
  expect(reportAs(new Error('plain'))).toBe('plain');
});
