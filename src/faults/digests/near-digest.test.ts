import { describe, expect, it } from 'vitest';

import { listMisheard, listSlips, readNearCodes } from './near-digest.ts';

describe('listSlips', () => {
  it.each([
    ['another character', '3F7K2M9QRA'],
    ['two that changed places', '3F72KM9QRT'],
    ['one too few', '3F7KM9QRT'],
    ['the first missing', 'F7K2M9QRT'],
    ['the last missing', '3F7K2M9QR'],
    ['one doubled', '3F7K22M9QRT'],
    ['one more at the end', '3F7K2M9QRTT'],
    ['letters for digits, as often as they are heard', '3F7KZM9QRT'],
  ])('knows %s', (_name, typed) => {
    expect(listSlips(typed)).toContain('3F7K2M9QRT');
  });

  it('knows several characters that sound alike', () => {
    expect(listSlips('B5Z0000000')).toContain('8S20000000');
    expect(listSlips('B5A0000000')).not.toContain('8S20000000');
  });

  it.each([
    ['the same', '3F7K2M9QRT'],
    ['two others', '3F7K2M9QAA'],
    ['two that are not neighbours and changed places', '7F3K2M9QRT'],
    ['two too few', '3F7K2M9Q'],
    ['two missing, one more', '3F7K2M9R0'],
  ])('does not take %s for one', (_name, typed) => {
    expect(listSlips(typed)).not.toContain('3F7K2M9QRT');
  });
});

it('has small letters and marks where the code has some, and nothing for what nobody reads out', () => {
  expect(listSlips('pay-77')).toEqual(expect.arrayContaining(['pay_77', 'payy-77', 'pa-77']));
  expect(listSlips('PAY77')).not.toContain('PAYy77');
  expect(listSlips('x'.repeat(24)).length).toBeLessThan(4_000);
  expect(listSlips('x'.repeat(25))).toEqual([]);
});

it('lists what is heard instead, within a bound', () => {
  expect(listMisheard('8A2')).toEqual(['8A2', '8AZ', 'BA2', 'BAZ']);
  expect(listMisheard('8'.repeat(10))).toHaveLength(64);
});

it('reads a digest of ours with a character too few or too many', () => {
  expect(readNearCodes('Digest: 3f7k2-m9qr')).toContain('3F7K2M9QR');
  expect(readNearCodes('3f7k2-m9qrtt')).toContain('3F7K2M9QRTT');
  expect(readNearCodes('o1l4567890')).toContain('0114567890');
  expect(readNearCodes('Error: 233873459 it said')).toEqual(['233873459']);
  expect(readNearCodes('there is no code at all')).toEqual([]);
  expect(readNearCodes('Digest: 1234')).toEqual([]);
});
