import 'server-only';

export const hourMs = 3_600_000;

/** The hour in which `time` is, as `fault_hour.hour` has it. */
export function hourOf(time: number): number {
  return Math.floor(time / hourMs) * hourMs;
}
