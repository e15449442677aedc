const units = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1000],
  ['mb', 1000 ** 2],
  ['gb', 1000 ** 3],
  ['kib', 1024],
  ['mib', 1024 ** 2],
  ['gib', 1024 ** 3],
]);

/** The bytes of `150000`, `150kB` (1000) or `1.5MiB` (1024); undefined for what is no size. Upper and lower case are one. */
export function readSize(text: string): number | undefined {
  const [, amount, name = ''] = /^(\d{1,12}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(text) ?? [];
  const unit = units.get(name.toLowerCase());
  return amount === undefined || unit === undefined ? undefined : Math.floor(Number(amount) * unit);
}
