import { createFileRoute } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';
import { renderServerComponent } from '@tanstack/react-start/rsc';

async function Boom() {
  throw new Error('Boom before the shell');
}

const getPage = createServerFn({ method: 'GET' }).handler(async () => ({
  Page: await renderServerComponent(<Boom />),
}));

export const Route = createFileRoute('/boom')({ loader: () => getPage(), component: Page });

function Page() {
  return <main>{Route.useLoaderData().Page}</main>;
}
