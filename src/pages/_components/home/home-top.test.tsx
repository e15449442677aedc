import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { HomeTop } from './home-top.tsx';

it('says what all of this is for only while nothing is recorded', () => {
  expect(renderToStaticMarkup(<HomeTop isEmpty>search</HomeTop>)).toContain('Why did that page break?');
  const top = renderToStaticMarkup(<HomeTop isEmpty={false}>search</HomeTop>);
  expect(top).not.toContain('Why did that page break?');
  expect(top).not.toContain('<p');
  expect(top).toMatch(/^<div><h1 class="sr-only">[^<]+<\/h1>search<\/div>$/);
});
