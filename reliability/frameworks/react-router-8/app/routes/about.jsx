export function ServerComponent() {
  return (
    <main>
      <h1>About</h1>
    </main>
  );
}
