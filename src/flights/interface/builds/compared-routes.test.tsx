import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import type { BuildRoute } from '#src/flights/for-operator/build-figures.ts';
import { ComparedRoutes } from './compared-routes.tsx';

function render(now: number, before: number): string {
  const route = { build: 'b', route: '/cart', kind: 'document', bytes: 2_000 } as const;
  const of = (flights: number, ms: number): BuildRoute => ({ ...route, flights, ms });
  const routes = [{ now: of(now, 40), before: of(before, 20), isHeavier: false }];
  return renderToStaticMarkup(<ComparedRoutes routes={routes} />).replaceAll(/<[^>]*>/g, '');
}

it('says by how much a time has changed where enough answers were compared, and else only what it was', () => {
  expect(render(3, 3)).toContain('40 ms +100 %, was 20 ms3 before 3');
  for (const few of [render(2, 3), render(3, 2)]) {
    expect(few).toContain('40 ms was 20 ms');
    expect(few).not.toContain('%');
  }
});
