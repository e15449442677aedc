export default async function OnTheServer(): Promise<never> {
  await Promise.resolve();
  throw new Error('The guest book is locked');
}

export const getConfig = () => ({ render: 'dynamic' }) as const;
