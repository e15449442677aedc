import 'server-only';

import { toPlainDigest } from '#src/runtime/errors/digest.ts';

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

function isMisheard(one: string, other: string): boolean {
  return Array.from(one).every((character, at) => character === other[at] || alike[character] === other[at]);
}

/** The length of the beginning that both share. */
function countShared(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Whether one slip makes `meant` of `typed`. False when they are the same. */
export function isOneSlip(typed: string, meant: string): boolean {
  if (typed === meant || Math.abs(typed.length - meant.length) > 1) return false;
  const at = countShared(typed, meant);
  if (typed.length < meant.length) return typed.slice(at) === meant.slice(at + 1);
  if (typed.length > meant.length) return typed.slice(at + 1) === meant.slice(at);
  const isOther = typed.slice(at + 1) === meant.slice(at + 1);
  const isExchanged =
    typed[at] === meant[at + 1] && typed[at + 1] === meant[at] && typed.slice(at + 2) === meant.slice(at + 2);
  return isOther || isExchanged || isMisheard(typed, meant);
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
