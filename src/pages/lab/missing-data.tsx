import { unstable_notFound as notFound } from 'waku/router/server';

export default function MissingDataPage(): never {
  notFound();
}

export async function getConfig() {
  return { render: 'dynamic' } as const;
}
