/** React's Flight client as Waku gives it to the browser, by what this folder uses of it. */
declare module 'react-server-dom-webpack/client' {
  const client: {
    readonly createFromFetch: (
      response: Promise<Response>,
      options: { readonly callServer: (id: string, args: unknown[]) => unknown },
    ) => Promise<import('react').ReactNode>;
  };
  export default client;
}
