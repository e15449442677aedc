const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** The whole thread waits: for one that serves nobody, or does not serve yet. */
export function sleep(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
