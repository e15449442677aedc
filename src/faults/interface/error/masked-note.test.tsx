import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { ownApp } from '#src/store/own-app.ts';

import { MaskedNote } from './masked-note.tsx';

const masked =
  'An error occurred in the Server Components render. The specific message is omitted in production builds.';

function render(message: string, app = 'shop', isReported = false): string {
  return renderToStaticMarkup(<MaskedNote message={message} app={app} isReported={isReported} />);
}

it('names the line that shows the real error, where the text is the one for all', () => {
  expect(render(masked)).toContain('onRequestError } from &#x27;flight-recorder/next&#x27;');
  expect(render('no such order')).toBe('');
  expect(render(masked, ownApp)).toBe('');
  // The line is there already.
  expect(render(masked, 'shop', true)).toContain('gave the reporter in the app no more');
  expect(render(masked, 'shop', true)).not.toContain('onRequestError');
});
