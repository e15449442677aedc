import { expect, it } from 'vitest';

import { isSameSave } from './is-same-save.ts';

const saved = { file: '/lab/x.tsx', text: 'one' };

it('takes the same text of a file for the same save while that is measured', () => {
  expect(isSameSave({ saved, isOver: false }, { ...saved })).toBe(true);
  expect(isSameSave({ saved, isOver: true }, { ...saved })).toBe(false);
  expect(isSameSave({ saved, isOver: false }, { ...saved, text: 'two' })).toBe(false);
  expect(isSameSave({ saved, isOver: false }, { ...saved, file: '/lab/y.tsx' })).toBe(false);
  expect(isSameSave({ saved: undefined, isOver: false }, undefined)).toBe(false);
});
