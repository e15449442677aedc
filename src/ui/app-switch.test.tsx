import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { AppSwitch } from './app-switch.tsx';

function render(count: number, app?: string): string {
  const apps = Array.from({ length: count }, (_, index) => ({
    id: `app-${index}`,
    name: `App ${index}`,
    isOwn: index === 0,
  }));
  return renderToStaticMarkup(
    <AppSwitch apps={apps} app={app} path="/flights" to={(id) => `/flights${id === undefined ? '' : `?app=${id}`}`} />,
  );
}

it('is not there with one app alone, and says so to the header', () => {
  expect(render(1)).toBe('<span hidden="" data-recorded="own"></span>');
  expect(render(2)).toContain('data-recorded="others"');
});

it('is a link for each of a few apps, and marks the one that is shown', () => {
  const shown = render(3, 'app-1');
  expect(shown.match(/<a /g)).toHaveLength(4);
  expect(shown).toMatch(/<a[^>]*aria-current="true"[^>]*href="\/flights\?app=app-1"/);
  expect(shown.match(/aria-current/g)).toHaveLength(1);
  expect(render(3)).toMatch(/<a[^>]*aria-current="true"[^>]*href="\/flights"/);
});

it('is a form for many, which works without JavaScript', () => {
  const shown = render(7, 'app-6');
  const [form = ''] = /<form[^>]*>/.exec(shown) ?? [];
  expect(form).toContain('method="get"');
  expect(form).toContain('action="/flights"');
  expect(shown).toContain('<option value="app-6" selected="">App 6</option>');
  expect(shown).not.toContain('<a ');
});
