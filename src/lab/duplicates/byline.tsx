'use client';

export function Byline({ author }: { author: { name: string; about: string } }) {
  return <span title={author.about}>by {author.name}</span>;
}
