import { describe, expect, it } from 'vitest';

import { decodeFlight } from '../decode-flight.ts';
import { createSecretFinder, type KnownSecret } from './find-secrets.ts';

function find(text: string, known: readonly KnownSecret[] = []) {
  const bytes = new TextEncoder().encode(text);
  const finder = createSecretFinder(known);
  const found = finder.find(decodeFlight(bytes));
  if (found.length > 0) expect(finder.mayHold(bytes)).toBe(true);
  return found.map(({ rule, component, path }) => [rule, component, path]);
}

/** Random, and nobody's. Written in two parts, so that no scanner of repositories takes it for a key. */
const stripe = `sk_live_${'9aKq3LmZ7xTb2VwRc8YpJd4N'}`;
const bcrypt = `$2b$10$${'Kq3LmZ7xTb2VwRc8YpJd4N9aKq3LmZ7xTb2VwRc8YpJd4N1oPq5Gh'.slice(0, 53)}`;
const row = (props: unknown, type = '$L1') =>
  `1:I["checkout.js",["a.js"],"Checkout"]\n0:["$","${type}",null,${JSON.stringify(props)}]\n`;

describe('where it stands', () => {
  it('names the component and the path from its prop on, with lists as one', () => {
    expect(find(row({ user: { cards: [{ key: stripe }] } }))).toEqual([['stripe', 'Checkout', 'user.cards[].key']]);
  });

  it('leads out of rows that another row uses', () => {
    const text = `1:I["checkout.js",["a.js"],"Checkout"]\n2:{"apiKey":"${stripe}"}\n0:["$","$L1",null,{"config":"$2"}]\n`;
    expect(find(text)).toEqual([['stripe', 'Checkout', 'config.apiKey']]);
  });

  it('leads out of rows of text', () => {
    const long = `${'a '.repeat(600)}${stripe}`;
    const text = `1:I["checkout.js",["a.js"],"Checkout"]\n2:T${long.length.toString(16)},${long}0:["$","$L1",null,{"text":"$2"}]\n`;
    expect(find(text)).toEqual([['stripe', 'Checkout', 'text']]);
  });

  it('has no key in it that is data', () => {
    expect(
      find(row({ byMail: { 'a@b.example': { hash: `$${bcrypt}` }, user918273: { hash: `$${bcrypt}` } } })),
    ).toEqual([
      ['password-hash', 'Checkout', 'byMail[].hash'],
      ['password-hash', 'Checkout', 'byMail[].hash'],
    ]);
    expect(find(row({ [stripe]: 1 }))).toEqual([['stripe', 'Checkout', '(key)']]);
  });

  it('is what an action returns', () => {
    expect(find(`0:{"a":"$@1","b":"build"}\n1:{"token":"${stripe}"}\n`)).toEqual([['stripe', '', 'a.token']]);
  });
});

describe('kinds', () => {
  it('finds a hash by its form under a name that says so, once', () => {
    expect(find(row({ passwordHash: `$${bcrypt}` }))).toEqual([['password-hash', 'Checkout', 'passwordHash']]);
  });

  it('finds hashes by their format, and any under a name that says so', () => {
    const hash = '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8';
    expect(find(row({ a: `$${bcrypt}` }))).toHaveLength(1);
    expect(find(row({ passwordHash: hash, etag: hash, password_digest: null }))).toEqual([
      ['password-hash', 'Checkout', 'passwordHash'],
    ]);
  });

  it('finds a private key, however its lines end', () => {
    const body = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7${'VwRc8YpJd4N9aKq3LmZ7xTb2'.repeat(6)}`;
    const pem = (end: string) => `-----BEGIN PRIVATE KEY-----${end}${body}${end}-----END PRIVATE KEY-----`;
    expect(find(row({ pem: pem('\n') }))).toEqual([['privatekey', 'Checkout', 'pem']]);
    expect(find(row({ pem: pem(String.raw`\n`) }))).toHaveLength(1);
  });

  it('finds an address with a password, not one with a place-holder or without one', () => {
    const url = (host: string, password: string) => `postgres://shop:${password}@${host}/shop`;
    expect(find(row({ url: url('db.internal', 'Gq7xLp2vT') }))).toHaveLength(1);
    for (const password of ['password', '<password>', '${PASSWORD}', 'your-password', 'shop']) {
      expect(find(row({ url: url('db.internal', password) }))).toEqual([]);
    }
    expect(find(row({ url: url('localhost:5432', 'Gq7xLp2vT') }))).toEqual([]);
    // Two texts are no address.
    expect(
      find(row({ a: 'postgres://localhost', b: ':x@y', c: 'http://localhost:3000', d: 'https://a.example/@x:y' })),
    ).toEqual([]);
    expect(find(row({ a: 'https://deploy:Gq7xLp2vT@git.internal.dev/x' }))).toHaveLength(1);
  });

  it('finds the source of a server function in what an action returns, not in a page', () => {
    const source = 'async function f(a){let b=await db.query("select 1");return b}';
    const returned = (value: string) => `0:{"a":"$@1","b":"build"}\n1:${JSON.stringify(value)}\n`;
    expect(find(returned(source))).toEqual([['server-source', '', 'a']]);
    expect(find(returned(`Hello async function $$RSC_SERVER_ACTION_0(a){}`))).toHaveLength(1);
    expect(find(returned(`Write an async function f(a){}`))).toEqual([]);
    expect(find(row({ code: source }))).toEqual([]);
  });

  it('does not take examples for keys', () => {
    const examples = [
      'sk_live_XXXXXXXXXXXXXXXXXXXXXXXX',
      'AKIAIOSFODNN7EXAMPLE',
      'ghp_000000000000000000000000000000000000',
      'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
      'SG.ab.cd1',
    ];
    for (const example of examples) expect(find(row({ example }))).toEqual([]);
  });

  it('leaves out what a development server tells of itself', () => {
    expect(find(`1:D{"env":"${stripe}"}\n0:["$","p",null,{}]\n`)).toEqual([]);
  });
});

describe('what the app knows to be secret', () => {
  const known = [{ name: 'SESSION_SECRET', value: 'tr0ub"adour\\horse' }];

  it('finds it whole, as it is in a row of text and as JSON writes it', () => {
    expect(find(row({ config: { session: known[0]?.value } }), known)).toEqual([
      ['environment', 'Checkout', 'config.session'],
    ]);
    expect(find(row({ session: `x${known[0]?.value}y` }), known)).toEqual([]);
    const long = `${'a '.repeat(600)}${known[0]?.value}`;
    expect(find(`2:T${long.length.toString(16)},${long}0:["$","p",null,{"children":"$2"}]\n`, known)).toEqual([
      ['environment', 'p', 'children'],
    ]);
  });

  it('says its name and never its value', () => {
    const bytes = new TextEncoder().encode(row({ a: `is ${known[0]?.value}` }));
    const found = createSecretFinder(known).find(decodeFlight(bytes));
    expect(found).toMatchObject([{ name: 'the value of SESSION_SECRET' }]);
    expect(JSON.stringify(found)).not.toContain('adour');
  });
});
