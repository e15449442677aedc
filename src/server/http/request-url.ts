/**
 * The parts of a request's URL. The URL is absolute and serialised, so its path begins at the first slash behind `//`, and a
 * second parser cannot find another one. Several checks look at the path of each request, and a `URL` object for each of
 * them would cost more than the checks.
 */
export type RequestUrl = {
  /** `http://127.0.0.1:3000` */
  readonly origin: string;
  /** As it came: never decoded. */
  readonly pathname: string;
  /** With its `?`; empty without one. */
  readonly search: string;
};

export function splitUrl(url: string): RequestUrl {
  const scheme = url.indexOf('://');
  const start = url.indexOf('/', scheme + 3);
  if (scheme === -1 || start === -1) throw new TypeError(`${url} is no absolute URL with a path`);
  const question = url.indexOf('?', start);
  const hash = url.indexOf('#', start);
  const end = hash === -1 ? url.length : hash;
  const pathEnd = question === -1 || question > end ? end : question;
  return { origin: url.slice(0, start), pathname: url.slice(start, pathEnd), search: url.slice(pathEnd, end) };
}
