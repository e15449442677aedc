import 'server-only';

import { toPlainDigest } from '#report/digest.ts';

import { longestPasted, readCodes } from './read-code.ts';

/**
 * What somebody meant who read a digest aloud, or wrote it down, and made one slip: a character that sounds or looks like
 * another, one that is missing or doubled or wrong, two that changed places.
 */

/** Pairs that are mistaken for each other in handwriting and on the phone. O, I and L are read as digits anyway. */
const alike: Readonly<Record<string, string>> = { B: '8', 8: 'B', S: '5', 5: 'S', Z: '2', 2: 'Z', G: '6', 6: 'G' };
/** 2⁶ spellings at most. */
const alikeChanged = 6;
const codesCompared = 3;

/** All spellings of `code` with its characters exchanged for those that they are mistaken for. */
export function listMisheard(code: string): string[] {
  let spellings = [''];
  let changed = 0;
  for (const character of code) {
    const other = alike[character];
    const both = other !== undefined && changed < alikeChanged ? [character, other] : [character];
    if (both.length > 1) changed += 1;
    spellings = spellings.flatMap((spelling) => both.map((each) => spelling + each));
  }
  return spellings;
}

/** What an app's own digest may have besides letters and digits. */
const marks = '-_@.';
/** Nobody reads out more. 24 characters have some 3,000 slips, and each costs a look into an index: 2 µs. */
const longestHeard = 24;

/** Lists the characters that may be the right one, where one was wrong or is missing. */
function listCharacters(code: string): readonly string[] {
  const upper = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const lower = /[a-z]/.test(code) ? 'abcdefghijklmnopqrstuvwxyz' : '';
  return [...upper, ...lower, ...(/[-_@.]/.test(code) ? marks : '')];
}

/**
 * All that one slip makes `typed` of: another character, one too few or too many, two that changed places, any number that sound
 * alike. They are looked for one by one, so what it costs does not depend on how many digests there are.
 */
export function listSlips(typed: string): readonly string[] {
  if (typed.length > longestHeard) return [];
  const meant = new Set(listMisheard(typed));
  const characters = listCharacters(typed);
  for (let at = 0; at <= typed.length; at += 1) {
    const [before, after] = [typed.slice(0, at), typed.slice(at)];
    for (const character of characters) {
      meant.add(before + character + after);
      if (after !== '') meant.add(before + character + after.slice(1));
    }
    meant.add(before + after.slice(1));
    if (after.length > 1) meant.add(`${before}${after.charAt(1)}${after.charAt(0)}${after.slice(2)}`);
  }
  meant.delete(typed);
  return [...meant];
}

/** A digest of ours as it would be stored, with a character more or less than it has. */
function readOwnShape(text: string): string | undefined {
  const plain = toPlainDigest(text);
  return /^[0-9A-Z]{9,11}$/.test(plain) ? plain : undefined;
}

/** What was typed, in the forms that a stored digest may be near to. */
export function readNearCodes(typed: string): string[] {
  const text = typed.slice(0, longestPasted);
  const own = readOwnShape(text);
  // Fewer than five characters are near to too many.
  const others = readCodes(text).filter((code) => code.length >= 5);
  return [...new Set([...(own === undefined ? [] : [own]), ...others])].slice(0, codesCompared);
}
