/** React's Flight server, by what the payloads of the decoding benchmark use of it. */
declare module 'react-server-dom-webpack/server.node' {
  export function createClientModuleProxy(
    moduleId: string,
  ): Record<string, import('react').FunctionComponent<Record<string, unknown>>>;
  export function renderToPipeableStream(
    model: unknown,
    manifest: Record<string, { id: string; chunks: string[]; name: string; async: boolean }>,
  ): { pipe<Destination extends NodeJS.WritableStream>(destination: Destination): Destination };
}
