/** What Prometheus' own parser would read of one line of `/metrics`; NaN where it is not there. */
export function readMetric(body: string, line: string): number {
  return Number(
    body
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.split(' ')[1] ?? Number.NaN,
  );
}
