import { decodeSpelling } from '#src/server/http/decode-spelling.ts';

/**
 * Whether a form field, a property or a query parameter is likely to hold a secret, by its name: `password`,
 * `newPassword`, `api_key`, `card-number`, `ctl00$pin`. Words are compared whole, otherwise `spinner` would be a
 * `pin` and `author` an `auth`. Words without another meaning are also found inside a longer word.
 */
const secretWords = new Set([
  'auth',
  'authorization',
  'bearer',
  'card',
  'cardnumber',
  'cc',
  'code2fa',
  'cookie',
  'csrf',
  'cvc',
  'cvv',
  'iban',
  'jwt',
  'key',
  'mfa',
  'otp',
  'pass',
  'passcode',
  'passphrase',
  'pin',
  'pwd',
  'session',
  'sid',
  'signature',
  'ssn',
  'tan',
  'totp',
  'xsrf',
]);
const secretParts = /passw|secret|token|credential|apikey|privatekey|creditcard/;
/** Longer names are treated as secret without a closer look: genuine ones are shorter. */
const longestName = 200;

/** React's own fields: the id of an action, its bound arguments, the key of its form's state. */
const reactField = /^\$ACTION_/;

/** An app has a few dozen names, and asks for the same ones all the time. */
const judged = new Map<string, boolean>();
const judgedKept = 1_000;

export function isSecretName(name: string): boolean {
  if (name.length > longestName) return true;
  const known = judged.get(name);
  if (known !== undefined) return known;
  const isSecret = judge(name);
  if (judged.size >= judgedKept) judged.clear();
  judged.set(name, isSecret);
  return isSecret;
}

function judge(name: string): boolean {
  if (reactField.test(name)) return false;
  const words = decodeSpelling(name)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return words.some((word) => secretWords.has(word)) || secretParts.test(words.join(''));
}
