import { registerHooks } from 'node:module';

/**
 * Fills the database of a data folder through the app's own code, like a server that is used for hours. It is faster
 * than the server's rate limits allow. Arguments: `reports` or `errors`, and how many. The environment gives the folder
 * and the limit. Prints how many were stored.
 */
registerHooks({
  resolve(specifier, context, next) {
    // The import that marks a server module; only a bundler resolves it.
    if (specifier === 'server-only') return { url: 'data:text/javascript,', shortCircuit: true };
    return next(specifier, context);
  },
});

const { createWorstReport } = await import('./worst-report.ts');
const { ingestEnvelope } = await import('../../src/faults/receive/ingest-envelope.ts');
const { openStore } = await import('../../src/store/open-store.ts');

const error = {
  fingerprint: '8c1f0a6b5d2e4970',
  phase: 'rsc',
  kind: 'document',
  method: 'GET',
  path: '/',
  request_id: '',
  trace_id: '',
  release: '',
  name: 'Error',
  message: 'an old one',
  stack: 'x'.repeat(10_000),
  frames_json: '[]',
  component_stack: null,
  causes_json: '[]',
  bytes: 10_000,
} as const;

async function storeUntrusted(): Promise<boolean> {
  return (await ingestEnvelope(createWorstReport())).status === 'stored';
}

async function storeError(index: number): Promise<boolean> {
  const { commit } = await openStore();
  const id = String(index).padStart(10, '0');
  const time = Date.now() - 3_600_000 + index;
  const row = { ...error, id, side: 'server', digest: id, time, received_at: time } as const;
  return (await commit(async (trx) => void (await trx.insertInto('event').values(row).execute()))) === 'committed';
}

const [, , kind, count] = process.argv;
/** Reports that arrive together are written together. */
const together = kind === 'reports' ? 1 : 100;
let stored = 0;
for (let from = 0; from < Number(count); from += together) {
  const results = Array.from({ length: together }, (_, n) =>
    kind === 'reports' ? storeUntrusted() : storeError(from + n),
  );
  stored += (await Promise.all(results)).filter(Boolean).length;
}
await (await openStore()).close();
process.stdout.write(`${stored}\n`);
