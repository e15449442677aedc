import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { Mismatch } from './mismatch.tsx';

const extra = {
  'device.name': 'x',
  'hydration.kind': 'text',
  'hydration.where': 'main > p',
  'hydration.server': '<b>10:41</b>',
  'hydration.cause': 'time',
};

it('shows both sides as text, where they are, and the likely cause with what to do', () => {
  const shown = renderToStaticMarkup(<Mismatch extra={extra} />);
  expect(shown).toContain('The first text that differs');
  expect(shown).toContain('&lt;b&gt;10:41&lt;/b&gt;');
  expect(shown).toContain('nothing');
  expect(shown).toContain('main &gt; p');
  expect(shown).toContain('each side reads the clock');
});

it('shows what a stranger calls its cause in no words of theirs, and nothing without a mismatch', () => {
  const shown = renderToStaticMarkup(<Mismatch extra={{ ...extra, 'hydration.cause': 'constructor' }} />);
  expect(shown).toContain('not known');
  expect(renderToStaticMarkup(<Mismatch extra={{ 'device.name': 'x' }} />)).toBe('');
});
