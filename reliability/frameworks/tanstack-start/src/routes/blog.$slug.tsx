import { createFileRoute } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';
import { renderServerComponent } from '@tanstack/react-start/rsc';

const getPage = createServerFn({ method: 'GET' })
  .validator((slug) => String(slug))
  .handler(async ({ data }) => ({ Page: await renderServerComponent(<h1>Post {data}</h1>) }));

export const Route = createFileRoute('/blog/$slug')({
  loader: ({ params }) => getPage({ data: params.slug }),
  component: Post,
});

function Post() {
  const { Page } = Route.useLoaderData();
  return <main>{Page}</main>;
}
