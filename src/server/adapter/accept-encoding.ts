import 'server-only';

/**
 * `Accept-Encoding: gzip, deflate, br;q=0.5`: codings with weights from 0 (never) to 1, where `*` stands for those that
 * are not named and `identity` for no coding. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
const weightPattern = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;
/** Browsers send some 30 characters. A list longer than this is not read: the plain answer suits everyone. */
const longestHeader = 256;

type Weights = ReadonlyMap<string, number>;

function parseWeights(header: string): Weights {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', parameter] = part.split(';', 2).map((text) => text.trim());
    if (!coding) continue;
    const weight = parameter === undefined ? '1' : weightPattern.exec(parameter)?.[1];
    // A weight that cannot be read is no permission.
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, Number(weight ?? 0));
  }
  return weights;
}

/**
 * The coding that the client likes best, of those there are.
 * @param available best first: the order decides between equal weights
 * @returns undefined for no coding, also when the client says it takes nothing that there is: a body that it may fail to
 *   read is more use than a 406
 */
export function chooseEncoding<T extends string>(header: string | undefined, available: readonly T[]): T | undefined {
  if (!header || header.length > longestHeader) return undefined;
  const weights = parseWeights(header);
  const others = weights.get('*') ?? 0;
  let chosen: T | undefined;
  // Without a word on `identity` it is the last resort; with one, it must be liked better than any coding to win.
  let best = weights.get('identity') ?? 0;
  for (const coding of available) {
    const weight = weights.get(coding) ?? others;
    const isBetter = chosen === undefined ? weight >= best : weight > best;
    if (weight === 0 || !isBetter) continue;
    chosen = coding;
    best = weight;
  }
  return chosen;
}
