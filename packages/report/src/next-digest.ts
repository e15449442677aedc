/** A digest of Next.js: mostly ten digits, with a suffix where the error has a code. Its number alone is the first group. */
export const nextDigest = /^(\d{6,10})(?:[A-Z]*@[@A-Z]*\d*)?$/;
