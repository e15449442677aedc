import { createFileRoute } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';
import { renderServerComponent } from '@tanstack/react-start/rsc';
import { Suspense } from 'react';

async function Slow() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  throw new Error('Late, after the shell');
}

const getPage = createServerFn({ method: 'GET' }).handler(async () => ({
  Page: await renderServerComponent(
    <>
      <h1>Late</h1>
      <Suspense fallback={<p>Waiting</p>}>
        <Slow />
      </Suspense>
    </>,
  ),
}));

export const Route = createFileRoute('/late')({ loader: () => getPage(), component: Page });

function Page() {
  return <main>{Route.useLoaderData().Page}</main>;
}
