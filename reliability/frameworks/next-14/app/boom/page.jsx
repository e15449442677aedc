export const dynamic = 'force-dynamic';

export default async function Boom() {
  throw new Error('Boom before the shell');
}
