'use client';

export default function ErrorPage({ error }) {
  return (
    <main>
      <h1>Failed</h1>
      <p id="digest">{error.digest}</p>
    </main>
  );
}
