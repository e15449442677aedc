import 'server-only';

/** Longer messages hold a whole answer or a whole query. Their beginning says what went wrong. */
const lengthCounted = 500;
/** What comes after them is mostly a dump of values. */
const linesCounted = 2;

/** From the most to the least particular: what one took out, the next does not see. */
const values: readonly (readonly [RegExp, string])[] = [
  [/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<email>'],
  [/\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'`)>\]]+/gi, '<url>'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, '<ip>'],
  [/(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}(?![\w:])/gi, '<ip>'],
  [/\b(?:0x[0-9a-f]+|(?=[a-f]*\d)[0-9a-f]{8,})\b/gi, '<hex>'],
  // Ids: long words with letters and several digits, `ord_9fK2x81`.
  [/\b(?=\w*\d\w*\d)(?=\w*[a-z])\w{8,}\b/gi, '<id>'],
  [/-?\d+(?:[.,]\d+)*/g, '<n>'],
];

/** `User 4711 not found` → `User <n> not found`: replaces what differs between two occurrences of one fault. */
export function parameteriseMessage(message: string): string {
  const lines = message
    .slice(0, lengthCounted * 4)
    .split('\n')
    .filter((line) => line.trim() !== '');
  let text = lines.slice(0, linesCounted).join('\n').slice(0, lengthCounted);
  for (const [pattern, name] of values) text = text.replace(pattern, name);
  return text.trim();
}
