'use client';

import { useRouteError } from 'react-router';

export function ShowError() {
  const error = useRouteError();
  return (
    <main>
      <h1>Failed</h1>
      <p id="digest">{error?.digest}</p>
    </main>
  );
}
