import { expect, it } from 'vitest';

import { describeEvent } from './describe-event.ts';

function fail(tag: string, attribute: string, address: string): Event {
  const element = document.createElement(tag);
  element.setAttribute(attribute, address);
  const event = new Event('error');
  element.dispatchEvent(event);
  return event;
}

it('names the element and the address of what could not be loaded, and no value of a query', () => {
  const fonts = 'https://fonts.example/css2?family=Nunito';
  expect(describeEvent(fail('link', 'href', fonts))).toBe('<link> could not load https://fonts.example/css2?family');
  expect(describeEvent(fail('script', 'src', '/a.js'))).toBe('<script> could not load /a.js');
});

it('names an element without an address, and nothing where there is no element', () => {
  const event = new Event('error');
  document.createElement('video').dispatchEvent(event);
  expect(describeEvent(event)).toBe('<video> could not load ');
  const abort = new Event('abort');
  expect(describeEvent(abort)).toBe(abort);
});

it('leaves an error as it is', () => {
  const error = new Error('plain');
  expect(describeEvent(error)).toBe(error);
});
