import { useEffect, useState } from 'react';

async function measure(bytes: Uint8Array): Promise<number> {
  const reader = new Blob([bytes.slice()]).stream().pipeThrough(new CompressionStream('gzip')).getReader();
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) size += next.value.length;
  return size;
}

/**
 * The size of the bytes after the browser's own gzip; undefined until it is known. It is an estimate of the transfer:
 * servers compress at other levels, in pieces as they stream, or with Brotli.
 */
export function useGzipSize(bytes: Uint8Array): number | undefined {
  const [result, setResult] = useState<{ bytes: Uint8Array; size: number }>();
  useEffect(() => {
    let isCurrent = true;
    async function run() {
      const size = await measure(bytes);
      if (isCurrent) setResult({ bytes, size });
    }
    void run();
    return () => {
      isCurrent = false;
    };
  }, [bytes]);
  return result?.bytes === bytes ? result.size : undefined;
}
