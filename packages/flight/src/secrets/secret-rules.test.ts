import { expect, it } from 'vitest';

import { secretRules } from './secret-rules.ts';
import { createSecretFinder } from './find-secrets.ts';
import { decodeFlight } from '../decode-flight.ts';

/** Random letters and digits, the same each time: nobody's. */
function random(length: number, characters = 'aKq3LmZ7xTb2VwRc8YpJd4N9hGf5sE6uQ1oWiBv'): string {
  let state = 20_261_127;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return characters[(state >>> 16) % characters.length];
  }).join('');
}
const hex = (length: number) => random(length, '0123456789abcdef');
const digits = (length: number) => random(length, '3926485170');
const capitals = (length: number) => random(length, 'Q7WERT3YUPAS9DFGHJKL2ZXCVBN');

/** Put together here, so that whoever looks for keys in repositories finds none. */
const keys: readonly (readonly [rule: string, key: string])[] = [
  ...['AKIA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA', 'ASIA'].map(
    (start) => ['aws', start + capitals(16)] as const,
  ),
  ['aws', `aws_secret_access_key = ${random(40)}`],
  ['aws', `AWS_SECRET_ACCESS_KEY=${random(40)}`],
  ['npm', `npm_${random(36)}`],
  ['basicauth', `https://deploy:${random(12)}@git.internal.dev`],
  ['basicauth', `ftp://deploy:${random(12)}@git.internal.dev`],
  ...['xoxb', 'xoxp', 'xapp', 'xoxa', 'xoxo', 'xoxr'].map(
    (start) => ['slack', `${start}-${digits(12)}-${random(24)}`] as const,
  ),
  ['slack', `https://hooks.slack.com/services/T${capitals(9)}/B${capitals(9)}/${random(24)}`],
  ['sendgrid', `SG.${random(22)}.${random(43)}`],
  ...['shppa', 'shpca', 'shpat', 'shpss'].map((start) => ['shopify', `${start}_${hex(32)}`] as const),
  ...['sk_live', 'sk_test', 'rk_live', 'rk_test'].map((start) => ['stripe', `${start}_${random(24)}`] as const),
  ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((start) => ['github', `${start}_${random(36)}`] as const),
  ['github', `github_pat_${random(82)}`],
  ['github', `ghs_${digits(8)}_${random(40)}.${random(200)}.${random(40)}`],
  ['gitlab', `glpat-${random(20)}`],
  ['grafana', `glc_${random(80)}`],
  ['grafana', `glsa_${random(32)}_${hex(8)}`],
  ['openai', `sk-proj-${random(74)}T3BlbkFJ${random(74)}`],
  ['openai', `sk-${random(20)}T3BlbkFJ${random(20)}`],
  ['anthropic', `sk-ant-api03-${random(93)}AA`],
  ['groq', `gsk_${random(52)}`],
  ['huggingface', `hf_${random(34, 'aKqLmZxTbVwRcYpJdNhGfsEuQoWiBv')}`],
  ['linear', `lin_api_${random(40)}`],
  ['notion', `ntn_${digits(11)}${random(35)}`],
  ['1password', `ops_ey${random(200)}fQ`],
  ['database-connection-string', `mongodb+srv://shop:${random(12)}@cluster0.abc.mongodb.net/shop`],
  ['database-connection-string', `mysql://shop:${random(12)}@10.0.0.4:3306/shop`],
  ['database-connection-string', `postgresql://shop:${random(12)}@10.0.0.4:5432/shop`],
  ['hashicorp-vault', `hvs.${random(95)}`],
  ['hashicorp-vault', `hvb.${random(140)}`],
  ['hashicorp-vault', `hvr.${random(95)}`],
  ...['vcp', 'vci', 'vca', 'vcr', 'vck'].map((start) => ['vercel', `${start}_${random(24)}`] as const),
  ['databricks', `dapi${hex(32)}`],
  ['docker', `dckr_pat_${random(27)}`],
  ['figma', `figd_${random(44)}`],
  ...['cfk', 'cfut', 'cfat'].map((start) => ['cloudflare', `${start}_${random(40)}${hex(8)}`] as const),
  ['tailscale', `tskey-auth-${random(12)}-${random(32)}`],
  ['password-hash', `$$argon2id$v=19$m=65536,t=3,p=4$${random(22)}$${random(43)}`],
  ['password-hash', `$$scrypt$ln=16,r=8,p=1$${random(22)}$${random(43)}`],
  ['password-hash', `pbkdf2_sha256$600000$${random(22)}$${random(43)}=`],
];

it.each(keys)('%s: %s', (rule, key) => {
  for (const text of [key, `before ${key.startsWith('$$') ? key.slice(1) : key} and after`]) {
    const bytes = new TextEncoder().encode(`0:["$","p",null,${JSON.stringify({ a: { b: text } })}]\n`);
    const finder = createSecretFinder();
    expect(finder.mayHold(bytes)).toBe(true);
    expect(finder.find(decodeFlight(bytes)).map((found) => found.rule)).toEqual([rule]);
  }
});

it('has a key for each rule above, or a test of its own', () => {
  const withTests = ['privatekey', 'server-source'];
  expect(new Set([...keys.map(([rule]) => rule), ...withTests])).toEqual(new Set(secretRules.map(({ id }) => id)));
});

it('finds a secret of AWS by the name that it is under', () => {
  const bytes = new TextEncoder().encode(`0:["$","p",null,{"aws":{"secretAccessKey":"${random(40)}"}}]\n`);
  expect(createSecretFinder().find(decodeFlight(bytes))).toMatchObject([{ rule: 'aws', path: 'aws.secretAccessKey' }]);
});
