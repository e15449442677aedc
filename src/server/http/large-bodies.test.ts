import { expect, it } from 'vitest';

import { createLargeBodies } from './large-bodies.ts';

it('the oldest that is being read gives way, of the app that has most', () => {
  const large = createLargeBodies(3);
  const gone: string[] = [];
  const enter = (app: string, name: string) => large.enter(app, () => gone.push(name));
  enter('flood', 'a');
  enter('shop', 'b');
  enter('flood', 'c');
  expect(enter('shop', 'd')).toBeDefined();
  expect(gone).toEqual(['a']);
  expect(enter('blog', 'e')).toBeDefined();
  expect(gone).toEqual(['a', 'b']);
});

it('what is worked on keeps its place until it leaves', () => {
  const large = createLargeBodies(2);
  const gone: string[] = [];
  const first = large.enter('shop', () => gone.push('first'));
  const second = large.enter('shop', () => gone.push('second'));
  first?.keep();
  second?.keep();
  expect(large.enter('blog', () => gone.push('third'))).toBeUndefined();
  first?.leave();
  first?.leave();
  expect(large.enter('blog', () => gone.push('third'))).toBeDefined();
  expect(large.enter('blog', () => gone.push('fourth'))).toBeDefined();
  expect(gone).toEqual(['third']);
});
