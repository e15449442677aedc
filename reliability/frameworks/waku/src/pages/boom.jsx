export default async function Boom() {
  throw new Error('Boom before the shell');
}

export const getConfig = async () => ({ render: 'dynamic' });
