export function ServerComponent({ params }) {
  return (
    <main>
      <h1>Post {params.slug}</h1>
    </main>
  );
}
