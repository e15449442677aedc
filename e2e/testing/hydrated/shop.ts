import { createElement, Suspense } from 'react';

/** Each side reads its own clock, and one of them has a time alone. */
function OpeningHours({ now }: { now: string }) {
  return createElement('p', { id: 'hours' }, 'Open since ', now);
}

export function Shop({ now }: { now: string }) {
  const hours = createElement(Suspense, { fallback: 'soon' }, createElement(OpeningHours, { now }));
  return createElement('main', null, createElement('h1', null, 'Shop'), hours);
}

/** The whole document, as Next.js renders it. */
export function ShopDocument({ now, script }: { now: string; script: string }) {
  const head = createElement('head', null, createElement('title', null, 'Shop'));
  const code = createElement('script', { src: script, async: true });
  const main = createElement('main', null, createElement(OpeningHours, { now }));
  return createElement('html', { lang: 'en' }, head, createElement('body', null, main, code));
}
