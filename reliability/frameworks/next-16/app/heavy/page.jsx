import { connection } from 'next/server';

export default async function Heavy() {
  await connection();
  const rows = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, name: `Row ${index + 1}` }));
  return (
    <main>
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
    </main>
  );
}
