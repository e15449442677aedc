/** `String.fromCharCode` takes its characters as arguments, and the stack is finite. */
const step = 0x6000;

export function toBase64(bytes: Uint8Array): string {
  let plain = '';
  for (let at = 0; at < bytes.length; at += step) plain += String.fromCharCode(...bytes.subarray(at, at + step));
  return btoa(plain);
}

/** @throws where it is none */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text);
  const bytes = new Uint8Array(plain.length);
  for (let at = 0; at < plain.length; at++) bytes[at] = plain.charCodeAt(at);
  return bytes;
}
