'use client';

import type { ReactNode } from 'react';
import { useRouter } from 'waku/router/client';

import { homePath } from '#src/server/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

/** A link of the header. It is marked while its page, or one below it, is shown. */
export function NavLink({ to, also, children }: { to: string; also?: string; children: ReactNode }) {
  const { path } = useRouter();
  const isInside = [to, also].some(
    (root) => root !== undefined && root !== homePath && `${path}/`.startsWith(`${root}/`),
  );
  const current = path === to ? 'page' : isInside ? 'true' : undefined;
  return (
    <Link
      to={to}
      prefetch="intent"
      aria-current={current}
      className="border-b-2 border-transparent px-1 py-2.5 font-medium text-quiet no-underline hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
    >
      {children}
    </Link>
  );
}
