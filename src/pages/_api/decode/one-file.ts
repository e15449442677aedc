import { readTemplate } from '#src/flights/for-operator/read-template.ts';

/** What the browser saves flights in that it has opened itself. It is filled there: they are uploaded nowhere. */
export async function GET(): Promise<Response> {
  return new Response(await readTemplate(), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-disposition': 'attachment; filename="one-file.html"',
      'cache-control': 'private, no-cache',
    },
  });
}
