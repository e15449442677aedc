/** The parts of React's Flight server that the payloads of the decoding benchmark use. */
declare module 'react-server-dom-webpack/server.node' {
  export function createClientModuleProxy(
    moduleId: string,
  ): Record<string, import('react').FunctionComponent<Record<string, unknown>>>;
  export function renderToPipeableStream(
    model: unknown,
    manifest: Record<string, { id: string; chunks: string[]; name: string; async: boolean }>,
  ): { pipe<Destination extends NodeJS.WritableStream>(destination: Destination): Destination };
}
