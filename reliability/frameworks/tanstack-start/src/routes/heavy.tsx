import { createFileRoute } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';
import { renderServerComponent } from '@tanstack/react-start/rsc';

const getPage = createServerFn({ method: 'GET' }).handler(async () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, name: `Row ${index + 1}` }));
  return {
    Page: await renderServerComponent(
      <table>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>{row.id}</td>
              <td>{row.name}</td>
              <td>A cell whose text is the same in each of the hundred rows.</td>
            </tr>
          ))}
        </tbody>
      </table>,
    ),
  };
});

export const Route = createFileRoute('/heavy')({ loader: () => getPage(), component: Heavy });

function Heavy() {
  const { Page } = Route.useLoaderData();
  return (
    <main>
      <h1>Heavy</h1>
      {Page}
    </main>
  );
}
