import 'server-only';

import type { ReplyField } from './examples.ts';

const boundary = '----FlightRecorderExample';

/** The request’s body as a browser sends it: form data, or the text of the only field that has no name. */
export function toMultipart(fields: readonly ReplyField[]): string {
  const [first] = fields;
  if (first?.name === '') return typeof first.value === 'string' ? first.value : first.value.bytes;
  const parts = fields.map(({ name, value }) => {
    const isFile = typeof value !== 'string';
    const file = isFile ? '; filename="blob"\r\nContent-Type: application/octet-stream' : '';
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${isFile ? value.bytes : value}\r\n`;
  });
  return `${parts.join('')}--${boundary}--\r\n`;
}
