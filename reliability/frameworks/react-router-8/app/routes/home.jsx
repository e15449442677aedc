import { Link } from 'react-router';

export function ServerComponent() {
  return (
    <main>
      <h1>Home</h1>
      <Link to="/boom">Boom</Link> <Link to="/late">Late</Link> <Link to="/about">About</Link>
    </main>
  );
}
