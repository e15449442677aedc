export function PageProblem({ reason }: { readonly reason: string }) {
  return (
    <div role="alert" className="panel px-4 py-3">
      <h1>This file cannot be read</h1>
      <p className="[overflow-wrap:anywhere]">It is damaged, or was changed after it was saved: {reason}.</p>
    </div>
  );
}
