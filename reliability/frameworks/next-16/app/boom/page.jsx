import { connection } from 'next/server';

export default async function Boom() {
  await connection();
  throw new Error('Boom before the shell');
}
