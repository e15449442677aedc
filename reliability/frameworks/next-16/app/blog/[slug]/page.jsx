export default async function Post({ params }) {
  const { slug } = await params;
  return (
    <main>
      <h1>Post {slug}</h1>
    </main>
  );
}
