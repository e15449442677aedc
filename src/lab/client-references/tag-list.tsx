'use client';

import { Tag } from './tag.tsx';

export function TagList({ tags }: { tags: readonly string[] }) {
  return (
    <p className="flex flex-wrap gap-x-2">
      {tags.map((tag) => (
        <Tag key={tag} text={tag} />
      ))}
    </p>
  );
}
