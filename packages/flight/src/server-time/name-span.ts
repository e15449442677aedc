import type { PlacedSpan } from './server-time.ts';

/** A span by its name, as code has it: `<Reviews>`, `save()`, `await getReviews`. */
export function nameSpan({ kind, name }: Pick<PlacedSpan, 'kind' | 'name'>): string {
  switch (kind) {
    case 'component':
      return `<${name}>`;
    case 'function':
      return `${name}()`;
    case 'wait':
      return `await ${name}`.trimEnd();
    case 'internal':
    case 'server':
    case 'client':
    case 'producer':
    case 'consumer':
      return name;
  }
}
