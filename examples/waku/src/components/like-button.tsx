'use client';

import { useState } from 'react';

export function LikeButton({ name }: { name: string }) {
  const [likes, setLikes] = useState(0);
  return (
    <button onClick={() => setLikes(likes + 1)} aria-label={`Like the entry of ${name}`}>
      ♥ {likes}
    </button>
  );
}
