/**
 * Where the app says that it listens, from its output: `Local: http://localhost:5173/`. It is only shown, in the hint for an app
 * that does not listen where it was told to.
 */
const addressPattern = /https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|\[::\])(?::\d{1,5})?/;
// eslint-disable-next-line no-control-regex
const colourPattern = /\u001B\[[\d;]*m/g;
/** It stands in the first lines. */
const readLimit = 65_536;

export type AddressFinder = {
  readonly write: (chunk: Uint8Array) => void;
  readonly find: () => string | undefined;
};

export function createAddressFinder(): AddressFinder {
  const decoder = new TextDecoder();
  let text = '';
  return {
    write(chunk) {
      if (text.length < readLimit) text += decoder.decode(chunk, { stream: true });
    },
    find() {
      const [address] = addressPattern.exec(text.replace(colourPattern, '')) ?? [];
      return address?.replace(/0\.0\.0\.0|\[::\]/, 'localhost');
    },
  };
}
