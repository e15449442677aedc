/**
 * Whether the content security policy of a page lets a script of ours run and send, and in which form. A page may have several policies:
 * all of them have to. https://www.w3.org/TR/CSP3/
 */
export type ScriptForm =
  /** `early`: a few lines in the page that keep what happens before the script is there, and load it. `file`: its tag alone. */
  | { readonly type: 'early' | 'file'; readonly nonce: string | undefined }
  | { readonly type: 'forbidden'; readonly directive: string };

type Directives = ReadonlyMap<string, readonly string[]>;

/** Of Base64, in both alphabets: nothing that ends an attribute. */
const nonceSource = /^'nonce-([\w+/-]+={0,2})'$/i;
const hashSource = /^'sha(?:256|384|512)-/i;

/** Header fields and lists of policies mean the same. Of a directive that is there twice the first counts. */
function parsePolicies(values: readonly string[]): readonly Directives[] {
  return values
    .flatMap((value) => value.split(','))
    .map((policy) => {
      const directives = new Map<string, readonly string[]>();
      for (const directive of policy.split(';')) {
        const [name = '', ...sources] = directive.trim().split(/\s+/);
        if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
      }
      return directives;
    });
}

function findSources(policy: Directives, names: readonly string[]): readonly string[] | undefined {
  return names.map((name) => policy.get(name)).find((sources) => sources !== undefined);
}

const scriptNames = ['script-src-elem', 'script-src', 'default-src'] as const;

/** A proxy in front may have ended TLS: which scheme the page has is not known here. */
function allowsOwnOrigin(sources: readonly string[], host: string): boolean {
  return sources.some((source) => {
    const lower = source.toLowerCase();
    return ["'self'", '*', 'http:', 'https:'].includes(lower) || lower.replace(/^https?:\/\//, '') === host;
  });
}

function allowsInline(sources: readonly string[]): boolean {
  const isStrict = sources.some(
    (one) => nonceSource.test(one) || hashSource.test(one) || /^'strict-dynamic'$/i.test(one),
  );
  return !isStrict && sources.some((source) => source.toLowerCase() === "'unsafe-inline'");
}

type Page = { readonly host: string; readonly nonce: string | undefined };

function allowsScript(policy: Directives, form: 'early' | 'file', { host, nonce }: Page): boolean {
  const sources = findSources(policy, scriptNames);
  // A script may not make the address of another one from a text.
  if (form === 'early' && (policy.has('require-trusted-types-for') || policy.has('trusted-types'))) return false;
  if (!sources) return true;
  if (nonce !== undefined && sources.includes(`'nonce-${nonce}'`)) return true;
  if (sources.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false;
  return allowsOwnOrigin(sources, host) && (form === 'file' || allowsInline(sources));
}

function findForbidden(policy: Directives, host: string): string | undefined {
  const sandbox = policy.get('sandbox');
  if (sandbox && !['allow-scripts', 'allow-same-origin'].every((word) => sandbox.includes(word))) return 'sandbox';
  const connections = findSources(policy, ['connect-src', 'default-src']);
  return connections && !allowsOwnOrigin(connections, host) ? 'connect-src' : undefined;
}

/** @param values of all `Content-Security-Policy` headers. A policy that only reports forbids nothing */
export function chooseForm(values: readonly string[], host: string): ScriptForm {
  const policies = parsePolicies(values);
  const lowerHost = host.toLowerCase();
  for (const policy of policies) {
    const directive = findForbidden(policy, lowerHost);
    if (directive !== undefined) return { type: 'forbidden', directive };
  }
  const sources = policies.flatMap((policy) => findSources(policy, scriptNames) ?? []);
  const nonces = sources.flatMap((source) => nonceSource.exec(source)?.[1] ?? []);
  for (const type of ['early', 'file'] as const) {
    for (const nonce of [...new Set(nonces), undefined]) {
      const page = { host: lowerHost, nonce };
      if (policies.every((policy) => allowsScript(policy, type, page))) return { type, nonce };
    }
  }
  return { type: 'forbidden', directive: 'script-src' };
}
