import { createRouter } from '@tanstack/react-router';

import { routeTree } from './routeTree.gen';

export function getRouter() {
  return createRouter({ routeTree, defaultErrorComponent: ShowError });
}

function ShowError({ error }) {
  return (
    <main>
      <h1>Failed</h1>
      <p id="digest">{error.digest}</p>
    </main>
  );
}
