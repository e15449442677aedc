/** Written at once: large enough that a payload of 50 MB is not 50 000 steps, small enough to hold up nobody for long. */
const stepBytes = 256 * 1024;

/**
 * The size of the bytes after the browser's own gzip. It is an estimate of the transfer: servers compress at other levels, in
 * pieces as they stream, or with Brotli. The bytes go in by steps: a Blob of them would be a copy.
 */
export async function measureGzip(bytes: Uint8Array): Promise<number> {
  let next = 0;
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (next >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(next, (next += stepBytes)));
    },
  });
  const reader = source.pipeThrough(new CompressionStream('gzip')).getReader();
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) size += read.value.length;
  return size;
}
