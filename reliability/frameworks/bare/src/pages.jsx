import { Suspense } from 'react';

import { Buttons } from './buttons.jsx';

function Heavy() {
  const rows = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, name: `Row ${index + 1}` }));
  return (
    <>
      <h1>Heavy</h1>
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
      </table>
    </>
  );
}

async function Boom() {
  throw new Error('Boom before the shell');
}

async function Slow() {
  await new Promise((resolve) => setTimeout(resolve, 200));
  throw new Error('Late, after the shell');
}

function Late() {
  return (
    <>
      <h1>Late</h1>
      <Suspense fallback={<p>Waiting</p>}>
        <Slow />
      </Suspense>
    </>
  );
}

function Act() {
  return (
    <>
      <h1>Act</h1>
      <Buttons />
    </>
  );
}

function Home() {
  return (
    <>
      <h1>Home</h1>
      <a href="/boom">Boom</a> <a href="/late">Late</a> <a href="/about">About</a>
    </>
  );
}

/** Such an app has a router of its own, if any. This one is a `switch`. */
export function Page({ path }) {
  const [, slug] = /^\/blog\/(.+)$/.exec(path) ?? [];
  if (slug) return <h1>Post {slug}</h1>;
  switch (path) {
    case '/heavy':
      return <Heavy />;
    case '/boom':
      return <Boom />;
    case '/late':
      return <Late />;
    case '/act':
      return <Act />;
    case '/about':
      return <h1>About</h1>;
    default:
      return <Home />;
  }
}
