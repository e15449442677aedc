import { otherNetworks, triesKept, type ForgedTry } from '../flight/forged-try.ts';
import type { Prepare } from './prepare.ts';

/** Of the same kind, network and answer there is one row, which counts; what was seen first stays. */
export const tryColumns = [
  'app',
  'rule',
  'advisory',
  'network',
  'status',
  'count',
  'first_at',
  'last_at',
  'path',
  'action',
  'detail',
  'body',
] as const;

export const tryKey = ['app', 'rule', 'advisory', 'network', 'status'] as const;

export function toTryValues(tried: ForgedTry): (string | number)[] {
  const { app, rule, advisory, network, status, at, path, action, detail, body } = tried;
  const values = [app, rule, advisory, network, status, 1, Math.round(at), Math.round(at), path, action, detail, body];
  // PostgreSQL has no such character.
  return values.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value));
}

export const countAgain = `on conflict (${tryKey.join(', ')}) do update set count = forged.count + 1, last_at = excluded.last_at`;

export function createTryInsert(prepare: Prepare): (tried: ForgedTry) => void {
  return function insertTry(tried) {
    const { app } = tried;
    const rows = Number(prepare('select count(*) as n from forged where app = ?').get(app)?.['n']);
    const network = rows < triesKept ? tried.network : otherNetworks;
    prepare(
      `insert into forged (${tryColumns.join(', ')}) values (${tryColumns.map(() => '?').join(', ')}) ${countAgain}`,
    ).run(...toTryValues({ ...tried, network }));
  };
}
