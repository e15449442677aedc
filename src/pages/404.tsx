import { Link } from 'waku/router/client';

export default function NotFoundPage() {
  return (
    <main>
      <title>Not found</title>
      <h1>Not found</h1>
      <p>
        There is no page at this address. <Link to="/">Go to the start page</Link>
      </p>
    </main>
  );
}

export async function getConfig() {
  return { render: 'static' } as const;
}
