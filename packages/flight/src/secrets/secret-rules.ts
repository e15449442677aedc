import { secretlintRules } from './secretlint-rules.ts';

/**
 * What a secret looks like. Keys of providers are secretlint's rules; formats that no provider owns, such as hashes of passwords, are
 * ours. What is found is looked at once more: documentation is full of keys that are none.
 */
export type SecretRule = {
  /** What findings are counted by. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** Tested on a text with its key before it, `key=text`. */
  readonly pattern: RegExp;
  /** One of these is in each match, as the payload spells it. */
  readonly anchors: readonly string[];
  /** Bytes around an anchor in which a match is. 0: the payload spells it in another way than the pattern. */
  readonly reach: number;
  readonly isReal: (match: RegExpMatchArray) => boolean;
  /** In what a page shows, it is meant to be read. */
  readonly isOutsideElements?: true;
};

/** No key is longer but a private key and a token of GitHub with parts. */
const usualReach = 1_500;

/** What examples are made of. */
const sample =
  /example|placeholder|sample|dummy|fake|your[-_ ]|redacted|change[-_]?me|x{4}|\*{3}|\.{3}|0{6}|12345|abcde|<[^>]*>|\{[^}]*\}|\$[A-Z_]+/i;
/** Keys of Stripe's and Slack's documentation, which half of all tutorials repeat. */
const documented = new Set(['sk_test_4eC39HqLyjWDarjtT1zdp7dc', 'sk_test_BQokikJOvBiI2HlWgH4olfQ2']);
/** Random text of twenty characters has more different ones. */
const fewestCharacters = 8;

function isRandom(text: string): boolean {
  return !sample.test(text) && !documented.has(text) && new Set(text).size >= fewestCharacters;
}

/** A provider's key is random but for its beginning. Its shape is what secretlint says. */
function isKey([match = '']: RegExpMatchArray): boolean {
  return isRandom(match) && /[0-9]/.test(match);
}

/** Three parts, of which SendGrid's middle one has 22 characters and the last 43. */
function isSendgridKey(match: RegExpMatchArray): boolean {
  return (match[0]?.length ?? 0) >= 60 && isKey(match);
}

function isPrivateKey([, encoded = '']: RegExpMatchArray): boolean {
  const base64 = encoded.replace(/\s|\\n/g, '');
  // What ASN.1 and OpenSSH begin with.
  return /^(?:MI|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/]+=*$/.test(base64) && isRandom(base64);
}

const usualWords =
  /^(?:pass(?:word)?|user(?:name)?|root|admin|secret|postgres|mysql|mongo|test|guest|pw|pwd|db|my.*)$/i;
const inside = /^(?:localhost|127\.|\[?::1|(?:host|hostname|db)(?::|$)|example\.)/i;

/** With a user and a password that are no example's. */
function isConnection({ groups }: RegExpMatchArray): boolean {
  const { username, user = username ?? '', password = '', host = '' } = groups ?? {};
  if (user === '' || password.length < 6 || user === password || inside.test(host)) return false;
  return !usualWords.test(password) && !sample.test(password) && new Set(password).size > 3;
}

function isAny(): boolean {
  return true;
}

const names: Readonly<Record<string, string>> = {
  aws: 'a key of AWS',
  privatekey: 'a private key',
  npm: 'a token of npm',
  basicauth: 'an address with a password',
  slack: 'a token of Slack',
  sendgrid: 'a key of SendGrid',
  shopify: 'a token of Shopify',
  stripe: 'a secret key of Stripe',
  github: 'a token of GitHub',
  gitlab: 'a token of GitLab',
  grafana: 'a token of Grafana',
  openai: 'a key of OpenAI',
  anthropic: 'a key of Anthropic',
  groq: 'a key of Groq',
  huggingface: 'a token of Hugging Face',
  linear: 'a key of Linear',
  notion: 'a token of Notion',
  '1password': 'a token of 1Password',
  'database-connection-string': 'a database’s address with its password',
  'hashicorp-vault': 'a token of Vault',
  vercel: 'a token of Vercel',
  databricks: 'a token of Databricks',
  docker: 'a token of Docker',
  figma: 'a token of Figma',
  cloudflare: 'a token of Cloudflare',
  tailscale: 'a key of Tailscale',
  'password-hash': 'the hash of a password',
  'server-source': 'the source of a server function',
};

function nameSecret(id: string): string {
  return names[id] ?? id;
}

/** Too short to be looked for by itself. */
function afterNoLetter(text: string): string[] {
  return ['"', ' ', '=', ':', ','].map((before) => before + text);
}

/** What begins a match of each rule: a text of its pattern. `secret-rules.test.ts` holds both together. */
const anchorsOf: Readonly<Record<string, readonly string[]>> = {
  aws: [
    'AKIA',
    'AGPA',
    'AIDA',
    'AROA',
    'AIPA',
    'ANPA',
    'ANVA',
    'ASIA',
    'SECRET_ACCESS_KEY',
    'secret_access_key',
    'secretAccessKey',
    'SecretAccessKey',
  ],
  privatekey: ['PRIVATE KEY'],
  npm: ['npm_'],
  // Found from their @: find-secrets.ts.
  basicauth: [],
  slack: ['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-', 'hooks.slack.com'],
  sendgrid: afterNoLetter('SG.'),
  shopify: ['shppa_', 'shpca_', 'shpat_', 'shpss_'],
  stripe: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
  github: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
  gitlab: ['glpat-'],
  grafana: ['glc_', 'glsa_'],
  openai: ['T3BlbkFJ'],
  anthropic: ['sk-ant-api0'],
  groq: ['gsk_'],
  huggingface: afterNoLetter('hf_'),
  linear: ['lin_api_'],
  notion: ['ntn_'],
  '1password': ['ops_ey'],
  'database-connection-string': ['mongodb', 'mysql', 'postgres'],
  'hashicorp-vault': ['hvs.', 'hvb.', 'hvr.'],
  vercel: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
  databricks: ['dapi'],
  docker: ['dckr_pat_'],
  figma: ['figd_'],
  cloudflare: ['cfk_', 'cfut_', 'cfat_'],
  tailscale: ['tskey-'],
};

const checks: Readonly<Record<string, SecretRule['isReal']>> = {
  sendgrid: isSendgridKey,
  privatekey: isPrivateKey,
  basicauth: isConnection,
  'database-connection-string': isConnection,
  // Letters alone, by its pattern.
  huggingface: ([match = '']) => isRandom(match),
};

const longReach = new Set(['privatekey', 'github']);

const ofProviders: readonly SecretRule[] = secretlintRules.map(([id, pattern]) => ({
  id,
  name: nameSecret(id),
  pattern,
  anchors: anchorsOf[id] ?? [],
  reach: longReach.has(id) ? 13_000 : usualReach,
  isReal: checks[id] ?? isKey,
}));

/** The formats of crypt(3), of PHC strings and of Django; and any hash under a name that says so. */
const passwordHashes: readonly Pick<SecretRule, 'pattern' | 'anchors'>[] = [
  { pattern: /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}(?![./A-Za-z0-9])/g, anchors: ['$2a$', '$2b$', '$2y$'] },
  {
    pattern: /\$argon2(?:id?|d)\$(?:v=\d+\$)?[a-z0-9=,]+\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{16,}/g,
    anchors: ['$argon2'],
  },
  { pattern: /\$scrypt\$[a-z0-9=,]+\$[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=]{16,}/g, anchors: ['$scrypt$'] },
  { pattern: /\bpbkdf2_sha(?:1|256|512)\$\d+\$[A-Za-z0-9]{8,}\$[A-Za-z0-9+/=]{20,}/g, anchors: ['pbkdf2_sha'] },
  {
    pattern:
      /(?:password_?(?:hash|digest)|(?:hashed|encrypted)_?password)=(?:[0-9a-f]{32,128}|[A-Za-z0-9+/]{27,}=*)$/gi,
    anchors: [
      'asswordHash',
      'assword_hash',
      'asswordDigest',
      'assword_digest',
      'hashedPassword',
      'hashed_password',
      'ncryptedPassword',
      'ncrypted_password',
    ],
  },
];

/**
 * A server function whose text an action returned (CVE-2025-55183): the text begins with it, or it has the name that a framework gives
 * such functions. A page about programming shows code in its elements.
 */
const serverSource: SecretRule = {
  id: 'server-source',
  name: nameSecret('server-source'),
  pattern:
    /^[^=]*=\s*async(?:\s+function\b[^(]{0,80}|\s*)\([^)]{0,300}\)\s*(?:=>\s*)?\{|async function \$\$(?:RSC_SERVER_ACTION|hoist)_/g,
  anchors: ['async function', 'async (', 'async('],
  reach: 0,
  isReal: isAny,
  isOutsideElements: true,
};

export const secretRules: readonly SecretRule[] = [
  ...ofProviders,
  serverSource,
  ...passwordHashes.map((rule) => ({
    ...rule,
    id: 'password-hash',
    name: nameSecret('password-hash'),
    // Also under its name, as JSON writes that.
    reach: 0,
    isReal: isAny,
  })),
];
