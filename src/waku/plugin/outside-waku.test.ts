import { expect, test } from 'vitest';

import type * as declared from '../public.d.ts';

import * as door from './index.ts';

test('a plain import has the names that are declared', () => {
  const names: Record<Exclude<keyof typeof declared, 'flightRecorder'>, () => never> = door;
  expect(Object.keys(door).toSorted()).toEqual(['FlightRecorder', 'Link', 'flightRecorder', 'useNavigate']);
  for (const name of ['FlightRecorder', 'Link', 'useNavigate'] as const) {
    expect(names[name]).toThrow(`${name} of flight-recorder/waku works inside Waku's build alone; in a component test`);
  }
});

test('an option that may be unset is taken as the types say', () => {
  // The compiler has exactOptionalPropertyTypes here.
  const options: declared.FlightRecorderOptions = { to: process.env['NOT_SET'], app: undefined, digests: undefined };
  const link: Pick<declared.LinkProps<'/'>, 'prefetch' | 'replace'> = { prefetch: undefined, replace: undefined };
  const scroll: Parameters<declared.Navigate['push']>[1] = { scroll: undefined };
  expect(door.flightRecorder(options)).not.toEqual([]);
  expect([link.prefetch, link.replace, scroll.scroll]).toEqual([undefined, undefined, undefined]);
});
