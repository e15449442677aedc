'use client';

export function Tag({ text }: { text: string }) {
  return <span className="text-sm text-quiet">#{text}</span>;
}
