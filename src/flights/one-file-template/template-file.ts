import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib';

/**
 * The template as it lies in the build: its parts with Brotli, a bit more than half of what it has with the script in base64. In the
 * server's folder; a copy that is mounted in an app has it from there.
 */
export const templateFile = 'one-file.br';

export type TemplateParts = {
  readonly before: string;
  /** The viewer. In the file it is base64 of gzip, which browsers unpack by themselves. */
  readonly script: string;
  readonly after: string;
};

/** In no text of the three. */
const boundary = '\0';

export function packTemplate({ before, script, after }: TemplateParts): Uint8Array {
  const text = [before, script, after].join(boundary);
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });
}

export function writeTemplate({ before, script, after }: TemplateParts): string {
  return `${before}${gzipSync(script, { level: 9 }).toString('base64')}${after}`;
}

/** @throws where it is not what `packTemplate` wrote */
export function unpackTemplate(packed: Uint8Array): string {
  const [before, script, after] = brotliDecompressSync(packed).toString().split(boundary);
  if (before === undefined || script === undefined || after === undefined) throw new Error('it is no template');
  return writeTemplate({ before, script, after });
}
