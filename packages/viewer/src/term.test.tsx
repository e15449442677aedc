import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';

import { glossary } from './glossary.ts';
import { Panel } from './panel.tsx';

it('says in the page itself what the word of a title means, and describes the word with it', () => {
  const shown = renderToStaticMarkup(
    <Panel title="Latest flights" word="flight">
      none
    </Panel>,
  );
  const id = /<button type="button" aria-describedby="([^"]+)">Latest flights<\/button>/.exec(shown)?.[1];
  expect(id).toBeDefined();
  expect(shown).toContain(`<span role="tooltip" id="${id}" aria-hidden="true">${glossary.flight}</span>`);
});
