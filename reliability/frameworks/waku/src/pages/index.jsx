import { Link, Slice } from 'waku';

export default function Home() {
  return (
    <main>
      <h1>Home</h1>
      <Link to="/boom">Boom</Link> <Link to="/late">Late</Link> <Link to="/about">About</Link>
      <Slice id="clock" lazy fallback={<p>Waiting</p>} />
    </main>
  );
}

export const getConfig = async () => ({ render: 'dynamic' });
