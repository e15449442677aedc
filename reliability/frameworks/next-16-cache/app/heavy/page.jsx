import { Suspense } from 'react';
import { connection } from 'next/server';

async function Rows() {
  await connection();
  const rows = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, name: `Row ${index + 1}` }));
  return (
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
  );
}

async function Query({ searchParams }) {
  const { eager = '0' } = await searchParams;
  return <p>Eager: {eager}</p>;
}

export default function Heavy({ searchParams }) {
  return (
    <main>
      <h1>Heavy</h1>
      <Suspense fallback={<p>Waiting</p>}>
        <Query searchParams={searchParams} />
      </Suspense>
      <Suspense fallback={<p>Waiting</p>}>
        <Rows />
      </Suspense>
    </main>
  );
}
