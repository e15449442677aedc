import type { Exchange, ExchangeFacts } from '../../watch/exchange.ts';
import { numbersPerExchange, type WriterRequest } from '../messages.ts';

type Packed = Pick<Extract<WriterRequest, { readonly type: 'write' }>, 'slabs' | 'exchanges'>;

function parseFacts(text: string): ExchangeFacts {
  return JSON.parse(text);
}

/** Responses of other apps as `Batch.addExchange` packed them, one by one. */
export function* unpackExchanges({ slabs, exchanges }: Packed): Generator<Exchange> {
  const all = slabs.map((slab) => Buffer.from(slab));
  for (let at = 0; at < exchanges.length; at += numbersPerExchange) {
    const [slab = 0, offset = 0, numbers = 0] = exchanges.subarray(at, at + 3);
    const [text = 0, body = 0, args = 0] = exchanges.subarray(at + 3, at + numbersPerExchange);
    const bytes = all[slab];
    if (!bytes) throw new Error(`The batch has no slab ${slab}`);
    const textAt = offset + numbers * Float64Array.BYTES_PER_ELEMENT;
    const bodyAt = textAt + text;
    yield {
      facts: parseFacts(bytes.toString('utf8', textAt, bodyAt)),
      times: [...new Float64Array(bytes.buffer, offset, numbers)],
      body: bytes.subarray(bodyAt, bodyAt + body),
      args: bytes.subarray(bodyAt + body, bodyAt + body + args),
    };
  }
}
