/**
 * React's Node builds, by what this folder uses of them. Their published types ask for whole Node streams; React calls
 * a handful of methods, which `ReactDestination` and `FlightStream` name. Resolved by vite.ts.
 */
declare module 'virtual:flight-recorder/flight-server' {
  export function renderToPipeableStream(
    model: unknown,
    options: { onError: (error: unknown) => string | undefined; temporaryReferences?: unknown },
    extraOptions?: { onClientReference: (metadata: { deps: { js: string[] } }) => void },
  ): {
    pipe(destination: import('./flight.ts').ReactDestination): void;
    abort(reason: unknown): void;
  };
}

declare module 'virtual:flight-recorder/flight-client' {
  export function createFromNodeStream<T>(stream: import('./flight-source.ssr.ts').FlightStream): Promise<T>;
}

declare module 'virtual:flight-recorder/html-server' {
  export function renderToPipeableStream(
    children: import('react').ReactNode,
    options: {
      bootstrapScriptContent: string;
      nonce?: string;
      /** What `decodeFormState` gave; React's own shape. */
      formState?: unknown;
      onError: (error: unknown, info: { componentStack?: string }) => string | undefined;
      onShellReady: () => void;
      onShellError: (error: unknown) => void;
    },
  ): {
    pipe(destination: import('./flight.ts').ReactDestination): void;
    abort(reason: unknown): void;
  };
}
