import { Suspense } from 'react';
import { connection } from 'next/server';

async function readPost(slug) {
  'use cache';
  return `The text of ${slug}`;
}

async function Readers() {
  await connection();
  return <p>Readers: {process.uptime() > 0 ? 1 : 0}</p>;
}

export function generateStaticParams() {
  return [{ slug: 'zero' }];
}

/** Cached, but for one part: with all of it cached, a click on a prefetched link would request nothing. */
export default async function Post({ params }) {
  const { slug } = await params;
  return (
    <main>
      <h1>Post {slug}</h1>
      <p>{await readPost(slug)}</p>
      <Suspense fallback={<p>Waiting</p>}>
        <Readers />
      </Suspense>
    </main>
  );
}
