import Link from 'next/link';

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <Link href="/">Home</Link> <Link href="/heavy">Heavy</Link> <Link href="/blog/first">First post</Link>{' '}
          <Link href="/act">Act</Link>
        </nav>
        {children}
      </body>
    </html>
  );
}
