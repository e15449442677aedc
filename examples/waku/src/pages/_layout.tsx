import '../styles.css';

import { FlightRecorder, Link } from 'flight-recorder/waku';
import type { ReactNode } from 'react';

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      <title>Guest book</title>
      <nav>
        <Link to="/">Guest book</Link>
        <Link to="/about">About</Link>
        <Link to="/broken">Broken pages</Link>
        <a href="/_flight">Recorder</a>
      </nav>
      <main>
        <FlightRecorder>{children}</FlightRecorder>
      </main>
    </>
  );
}

export const getConfig = () => ({ render: 'static' }) as const;
