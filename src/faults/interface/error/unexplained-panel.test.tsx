import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { UnexplainedPanel } from './unexplained-panel.tsx';

it('says what would tell the cause, by the framework', () => {
  const next = renderToStaticMarkup(<UnexplainedPanel error={{ framework: 'next', digest: null }} />);
  expect(next).toContain('flight-recorder/next');
  const other = renderToStaticMarkup(<UnexplainedPanel error={{ framework: 'react-router', digest: 'abc' }} />);
  expect(other).toContain('flight-recorder/rsc');
  expect(other).toContain('Its digest stands in the answer');
});
