import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { VitalsFold } from './page-vitals.tsx';

const lcp = { ms: 900, loadDelayMs: 0, loadMs: 0, renderDelayMs: 0 };

it('folds vitals that are all good, and leaves what is not as it is', () => {
  const good = renderToStaticMarkup(<VitalsFold vitals={{ lcp, cls: { score: 0.02 } }}>each</VitalsFold>);
  expect(good).toMatch(/^<details><summary>All good <span[^>]*>LCP 900 ms · CLS 0.02<\/span>/);
  const slow = renderToStaticMarkup(<VitalsFold vitals={{ lcp: { ...lcp, ms: 2_600 }, fcp: 100 }}>each</VitalsFold>);
  expect(slow).toBe('each');
});
