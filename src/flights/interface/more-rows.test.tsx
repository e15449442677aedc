import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';

import { MoreRows } from './more-rows.tsx';

vi.mock(import('#src/runtime/navigation/link.tsx'), () => ({
  Link: ({ to, children }) => (
    <b>
      {to}: {children}
    </b>
  ),
}));

function read(skip: number, total: number, isMore = false): string[] {
  const html = renderToStaticMarkup(<MoreRows skip={skip} total={total} isMore={isMore} path="/visit" />);
  return Array.from(html.matchAll(/<b>(.*?)<\/b>/g), ([, text = '']) => text);
}

it('says how many rows are before and after those that are shown, and leads there', () => {
  expect(read(0, 200)).toEqual([]);
  expect(read(0, 201)).toEqual(['/visit?skip=200: 1 more after these']);
  expect(read(200, 450)).toEqual(['/visit: 200 before these', '/visit?skip=400: 50 more after these']);
  expect(read(400, 450)).toEqual(['/visit?skip=200: 400 before these']);
  expect(read(0, 2_000, true)).toEqual(['/visit?skip=200: at least 1,800 more after these']);
});
