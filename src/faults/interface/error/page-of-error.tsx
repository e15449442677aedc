import { findCarrier } from '#src/flights/interface/find-carrier.ts';

type PageOfErrorProps = {
  readonly app: string;
  readonly error: { readonly digest: string | null; readonly time: number; readonly path: string };
};

/** Shows on which page an error was. One of an app's output says none: the flight that carried its digest does. */
export async function PageOfError({ app, error }: PageOfErrorProps) {
  const { digest, time, path } = error;
  if (path !== '') return path;
  const carrier = await findCarrier({ app, digest, time, path, requestId: '', traceId: '' });
  if (!carrier) return 'page not known';
  const { flight, pages } = carrier;
  return pages === 1
    ? `${flight.path} (${flight.kind}, from its flight)`
    : `${flight.path}, or another of ${pages} pages of that moment`;
}
