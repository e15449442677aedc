import 'server-only';

/** Longer messages hold a whole answer or a whole query. Their beginning says what went wrong. */
const lengthCounted = 500;
/** What comes after them is mostly a dump of values. */
const linesCounted = 2;

const email = /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const uuid = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi;
const isoTime = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g;
const ipv4 = /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g;
const ipv6 = /(?<![\w:])(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{1,4}(?![\w:])/gi;
/** Ids: long words with letters and several digits, `ord_9fK2x81`. */
const id = /\b(?=\w*\d\w*\d)(?=\w*[a-z])\w{8,}\b/gi;
const number = '-?\\d+(?:[.,]\\d+)*';
/** Which error it is, and of few: React's own in a build (`Minified React error #418`), and what a server answered. */
const errorNumber = '(?<=\\bReact error #)\\d+|(?<=\\b(?:HTTP|[Ss]tatus(?: code)?:?) )[1-5]\\d\\d(?!\\d)';

const weekday = '(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs?)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? )?';
const spring = 'Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?';
const autumn = 'July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?';
const month = `(?:${spring}|${autumn})`;
const day = `(?:\\d{1,2}[ -]${month}[ -]\\d{2,4}|${month} (?:\\d{1,2},?(?: \\d{4})?|\\d{4}))(?!\\d)`;
const clock = '\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?(?: ?[AaPp][Mm]\\b)?';
/** No other words: what comes after a time may be `GET`. */
const zone =
  '(?: ?(?:GMT|UTC)?[+-]\\d\\d:?\\d\\d| (?:GMT|UTC|[ACEHMP][DS]T|CES?T)\\b)?(?: \\([A-Z][A-Za-z ]{2,40}\\))?';

/** Of an address that has `::`: `fe80::1`, `::1`, `fc00::/7`. `Fee::add` is none, it has no digit. */
const groups = '(?:[\\da-f]{1,4}(?::[\\da-f]{1,4}){0,6})?';

/**
 * From the most to the least particular: what one took out, the next does not see. A time without a date stays `<n>:<n>`, as a line and a
 * column are. A whole number is a number however long it is, or a size would be another fault from ten million bytes on.
 */
const values: readonly (readonly [RegExp, string])[] = [
  [/(?<==)(?:"[^"]*"|'[^']*')/g, '<text>'],
  [/(?<==)(?:true|false)\b/gi, '<bool>'],
  [/\b[a-z][a-z\d+.-]{1,20}:\/\/(?=[^\s"'`)>])(?:\[[\da-f:.]{2,45}\])?[^\s"'`)>\]]*/gi, '<url>'],
  [email, '<email>'],
  // The W3C's, and AWS's.
  [/\b(?:[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}|1-[\da-f]{8}-[\da-f]{24})\b/gi, '<trace>'],
  [uuid, '<uuid>'],
  // Of nanoid, which has 21 characters.
  [/(?<![\w-])(?=[\w-]*\d[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{21}(?![\w-])/g, '<id>'],
  [isoTime, '<time>'],
  [new RegExp(`\\b${weekday}${day}(?:,? ${clock}${zone})?`, 'g'), '<time>'],
  [/\b(?:19|20)\d{6}[T ]\d{6}(?:Z|[+-]\d{4})?\b/g, '<time>'],
  [/\b\d{1,2}:\d\d(?::\d\d)? ?[ap]m\b/gi, '<time>'],
  [/(?<![\w:])::(?:ffff:)?\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/gi, '<ip>'],
  [ipv4, '<ip>'],
  [new RegExp(`(?<![\\w:])(?=[\\da-f:]*\\d|::/)${groups}::${groups}(?:%\\w+)?(?:/\\d{1,3})?(?![\\w:])`, 'gi'), '<ip>'],
  [ipv6, '<ip>'],
  [/(?<![\w.,])\d+(?:[.,]\d+)*(?:ns|µs|us|ms|s)\b/g, '<duration>'],
  [/\b(?:0x[0-9a-f]+|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}|\d{20,})\b/gi, '<hex>'],
  // A short one: `a93c7d2` of a commit.
  [/\b(?=[a-f]*\d[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,7}\b/gi, '<hex>'],
  [id, '<id>'],
  [new RegExp(`(?<!\\d)(?!${errorNumber})${number}`, 'g'), '<n>'],
];

/** `User 4711 not found` → `User <n> not found`: replaces what differs between two errors of one fault. */
export function parameteriseMessage(message: string): string {
  const lines = message
    .slice(0, lengthCounted * 4)
    .split('\n')
    .filter((line) => line.trim() !== '');
  let text = lines.slice(0, linesCounted).join('\n').slice(0, lengthCounted);
  for (const [pattern, name] of values) text = text.replace(pattern, name);
  return text.trim();
}
