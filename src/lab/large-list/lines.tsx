'use client';

export function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="columns-3">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
