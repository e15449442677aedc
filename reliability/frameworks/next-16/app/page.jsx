import Link from 'next/link';

export default function Home() {
  return (
    <main>
      <h1>Home</h1>
      {/* Not prefetched: a prefetch would carry the error before the visitor clicks. */}
      <Link href="/boom" prefetch={false}>
        Boom
      </Link>{' '}
      <Link href="/late" prefetch={false}>
        Late
      </Link>{' '}
      <Link href="/about" prefetch={false}>
        About
      </Link>
    </main>
  );
}
