/** `flight …`: what `npm run -s flight --` runs. It reads its arguments itself. */
export async function flight(args: readonly string[]): Promise<number> {
  process.argv.splice(2, process.argv.length, ...args);
  await import('#src/flight-command/main.ts');
  return Number(process.exitCode ?? 0);
}
