async function readPost(slug) {
  'use cache';
  return `The text of ${slug}`;
}

export function generateStaticParams() {
  return [{ slug: 'zero' }];
}

export default async function Post({ params }) {
  const { slug } = await params;
  return (
    <main>
      <h1>Post {slug}</h1>
      <p>{await readPost(slug)}</p>
    </main>
  );
}
