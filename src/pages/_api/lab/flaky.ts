import { answerFlakily } from '#src/lab/page-data/flaky-upstream.ts';

export async function GET(request: Request): Promise<Response> {
  return answerFlakily(new URL(request.url).searchParams, request.headers);
}
