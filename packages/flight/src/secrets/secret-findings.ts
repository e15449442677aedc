import { countOf, maxOfKind, maxParts, problem, type Finding, type FindingPart } from '../finding.ts';
import type { Flight } from '../flight.ts';
import { createSecretFinder, type FoundSecret, type SecretFinder } from './find-secrets.ts';

const adviceOfText =
  'Whoever opens the page can read it. Pass the values that the component shows, and not the object they are in; replace what was sent.';
const adviceOfSource =
  'React and Next.js have mended this (CVE-2025-55183): upgrade. Secrets that were written into the function are to be replaced.';

/** Made with the first payload that is looked at. */
let finder: SecretFinder | undefined;

/** `user.passwordHash of <Profile>`; what it is in, where it is in no element. */
export function printShapePlace({ component, path }: Pick<FoundSecret, 'component' | 'path'>): string {
  if (component === '') return path === '' ? 'what was returned' : `${path}, outside of elements`;
  return path === '' ? `<${component}>` : `${path} of <${component}>`;
}

/** Secrets, those in one place of the page told as one. Nothing here holds a secret. */
export function findSecretFindings(flight: Flight): Finding[] {
  finder ??= createSecretFinder();
  const shapes = new Map<string, FoundSecret[]>();
  for (const found of finder.find(flight)) {
    const shape = `${found.rule} ${found.component} ${found.path}`;
    shapes.set(shape, [...(shapes.get(shape) ?? []), found]);
  }
  return [...shapes.values()].slice(0, maxOfKind).flatMap((all) => describe(all));
}

function describe(all: readonly FoundSecret[]): Finding[] {
  const [first] = all;
  if (!first) return [];
  const times = all.length === 1 ? '' : `, ${countOf(all.length, 'time')}`;
  const title = `There is ${first.name} in ${printShapePlace(first)}${times}.`;
  const parts: FindingPart[] = all.slice(0, maxParts).map(({ name, place }) => ({
    title: name,
    bytes: undefined,
    compressed: undefined,
    ms: undefined,
    place,
  }));
  const advice = first.rule === 'server-source' ? adviceOfSource : adviceOfText;
  return [problem('secret', title, advice, first.place, all.length === 1 ? [] : parts)];
}
