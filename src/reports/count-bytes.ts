import 'server-only';

/** UTF-8 bytes of a row's texts. The column `bytes` of `error` and of `report` holds this number. */
export function countBytes(texts: readonly (string | null | undefined)[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
}
