import { createFileRoute, Link } from '@tanstack/react-router';

export const Route = createFileRoute('/')({ component: Home });

function Home() {
  return (
    <main>
      <h1>Home</h1>
      <Link to="/boom">Boom</Link> <Link to="/late">Late</Link> <Link to="/about">About</Link>
    </main>
  );
}
