import 'server-only';

/**
 * Whether a part of a file's name is a hash of the file's content, which is another one in the next build. Bundlers write:
 *
 * - webpack, Parcel, Rspack: hex digits, `main.4f3c2a1b5d6e7f80.js`
 * - Vite and Rollup: eight characters of base64url, `index-BzUrYX-s.js`; others longer ones
 * - esbuild: eight of base32, `chunk-5JIJA4QV.js`
 * - Turbopack: thirteen of its own alphabet, `0cz1d0mv5g_q7.js`, or eight hex digits, `[root-of-the-server]__9b1c2d3e._.js`
 *
 * A name that a person wrote may have the same length and alphabet: `users-v2`, `UIButton`. It is told apart by what it is made of: few
 * pieces, and most of it words, of which each pair of letters is one that words have. content-hash.test.ts has the figures.
 */

/** The pairs of letters that words are made of: behind each first letter those that follow it, from 3,130 words of file names. */
const pairs = new Set(
  (
    'abcdfgijklmnprstuvwxy babceijloprsuy cacehikloprstuy dabcdegijklmnorstuwy eabcdefgijlmnopqrstuvwxy facefilorstuy gabceghilmnoprstu ' +
    'haeimoqrtuy iabcdefgklmnoprstvxz jaepsuw kadegilnsy labcdehikloprstuvwy mabdeijlmopstu nabcdefghijklmnoprstuvy ' +
    'oabcdfgiklmnoprstuvwx pabcdeghilmnoprstuy qlu rabcdefgiklmnoprstuvwy sabcdefhiklmnopqrstuvwy tabcdefghilmoprstuwy ' +
    'uabcdefgilmnprstx vaeio waehinors xaceilpt yabcflmnopstwz zaei'
  )
    .split(' ')
    .flatMap(([first = '', ...next]) => next.map((letter) => first + letter)),
);
/** An acronym, a word, a number. */
const piece = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** Whether all of its pairs are of words. */
function isWord(text: string): boolean {
  const letters = text.toLowerCase();
  if (letters.length < 4 || !/[aeiouy]/.test(letters)) return false;
  return [...letters].every((letter, at) => at === 0 || pairs.has(`${letters.charAt(at - 1)}${letter}`));
}

/** Whether a person may have written it. */
function isWritten(text: string): boolean {
  const found = text.match(piece) ?? [];
  const inLetters = found.filter((one) => /[a-z]/i.test(one));
  // Nobody writes a single capital in a short name.
  const hasSingle = inLetters.some((one) => /^[A-Za-uw-z]$/.test(one));
  if (text.length === 8 && (inLetters.length > 2 || hasSingle)) return false;
  if (text.length > 8 && /[A-Z]/.test(text) && found.length <= text.length / 3) return true;
  const inWords = found.filter(isWord).reduce((sum, { length }) => sum + length, 0);
  return found.length <= text.length / 2.5 && inWords * 2 >= text.length;
}

/** @param text between two dots, or behind a hyphen or an underscore */
export function isContentHash(text: string): boolean {
  if (/^(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{6,64}$/i.test(text)) return true;
  if (/^\d{16,32}$/.test(text)) return true;
  if (/^[A-Z2-7]{8}$/.test(text)) return !isWord(text);
  if (!/^[\w-]{8}$|^[\w~-]{13,14}$|^[\w-]{16,32}$/.test(text)) return false;
  if (!/[A-Z\d~]/.test(text)) return false;
  return !isWritten(text);
}

/** In its folder of scripts Turbopack names nothing else. Its alphabet has the dot, too: `0vnxt0p1ck.lx.js`. */
export function isTurbopackHash(text: string): boolean {
  return /^(?=.*[\d~_.-])[0-9a-z_~.-]{13}$/.test(text);
}
