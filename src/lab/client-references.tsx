/**
 * Client components in a loop
 *
 * A hundred tags are client components, each an element that the server sends. Or one client component is given the hundred texts
 * and loops in the browser.
 *
 * Look for: The module is named once, in one row that begins with `I`, however often it is used. Each use is an element of
 * some 36 bytes, in a list of texts it is the text: 3 kB of difference, and a tenth of that after gzip.
 */
import { experimentPath } from '#src/http/addresses.ts';
import { Link } from '#src/runtime/navigation/link.tsx';

import { Tag } from './client-references/tag.tsx';
import { TagList } from './client-references/tag-list.tsx';

export const group = 'What goes over the wire';
export const order = 4;

const tags = Array.from({ length: 100 }, (_, index) => `tag-${index + 1}`);

export default function ClientReferences({ query }: { query: URLSearchParams }) {
  return (
    <>
      <p>
        Loop{' '}
        <Link to={experimentPath('client-references')} prefetch="never">
          on the server
        </Link>{' '}
        or{' '}
        <Link to={`${experimentPath('client-references')}?loop=browser`} prefetch="never">
          in the browser
        </Link>
        .
      </p>
      {query.get('loop') === 'browser' ? (
        <TagList tags={tags} />
      ) : (
        <p className="flex flex-wrap gap-x-2">
          {tags.map((tag) => (
            <Tag key={tag} text={tag} />
          ))}
        </p>
      )}
    </>
  );
}
