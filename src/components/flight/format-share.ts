/** `42 %`, `3.1 %`, `< 0.1 %`. */
export function formatShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '0 %';
  const percent = (part / whole) * 100;
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1).replace('.0', '') : Math.round(percent)} %`;
}
