import { countOf, type Duplicate, formatBytes, formatCount, nameModule, readHeader } from '#flight';
import { escapeText } from '#boundary';

import type { Measured, MeasuredFlight } from './measure-flights.ts';
import type { Figure, Figures } from './take-limits.ts';

/**
 * What exceeds a budget, in lines that a person can act on: the figure, the limit, and under them the parts that it is made of,
 * each with the row where it stands. Names and texts are of the payload, so they are escaped for a terminal.
 */

/** Parts of one figure. The largest few decide; the viewer has all. */
const maxParts = 5;

/** Client modules are counted one by one, so the reader wants each; a page has tens. */
const maxModules = 30;

/** Of a name or a value. */
const maxText = 60;

/** A prop that is at least this much of its element's bytes is what the element costs. */
const mainShare = 0.5;

type Size = { readonly bytes: number; readonly compressed: number };
type Weigh = (size: Size) => number;

type Part = { readonly size: Size; readonly text: string };

function shorten(text: string): string {
  const plain = escapeText(text);
  return plain.length <= maxText ? plain : `${plain.slice(0, maxText - 1)}…`;
}

function printPlace({ flights }: Measured, { flight }: MeasuredFlight, row: number): string {
  const id = readHeader(flight.rows, row).id.toString(16);
  const index = flights.findIndex((one) => one.flight === flight);
  return flights.length > 1 ? `row ${id} of flight ${index + 1}` : `row ${id}`;
}

function listElements(measured: Measured, one: MeasuredFlight): Part[] {
  const { attribution } = one.analysis;
  return attribution.elements.map(({ name, count, own, compressed, places }) => {
    const main = attribution.props.find(
      ({ element, prop, bytes }) => element === name && prop !== 'children' && bytes >= own * mainShare,
    );
    const row = places[0]?.row ?? 0;
    const times = count > 1 ? ` × ${formatCount(count)}` : '';
    const prop = main ? `, most of it ${shorten(main.prop)}` : '';
    return {
      size: { bytes: own, compressed },
      text: `<${shorten(name)}>${times}${prop} (${printPlace(measured, one, row)})`,
    };
  });
}

function printDuplicate({ text, count, places }: Duplicate): string {
  const inside = places.at(-1)?.inside;
  return `${formatCount(count)} × ${shorten(text)}${inside ? ` in ${shorten(inside)}` : ''}`;
}

function listDuplicates({ flights }: Measured): Part[] {
  return flights.flatMap(({ analysis }) =>
    analysis.duplicates.list.map((duplicate) => ({
      size: { bytes: duplicate.wasted, compressed: duplicate.compressed },
      text: printDuplicate(duplicate),
    })),
  );
}

function takeLargest(parts: readonly Part[], weigh: Weigh): Part[] {
  return parts
    .filter(({ size }) => weigh(size) >= 0.5)
    .toSorted((a, b) => weigh(b.size) - weigh(a.size))
    .slice(0, maxParts);
}

function printParts(parts: readonly Part[], weigh: Weigh): string[] {
  return takeLargest(parts, weigh).map(({ size, text }) => `    ${formatBytes(weigh(size))}  ${text}`);
}

/** What a development server adds is no cost of the page, and mostly larger than it. */
function printDevelopment(measured: Measured): string[] {
  const bytes = measured.flights.reduce((all, { analysis }) => all + analysis.attribution.kinds.debug, 0);
  if (bytes === 0) return [];
  return [`    ${formatBytes(bytes)} are what a development build of React adds: measure a production build`];
}

function printRepeated(measured: Measured, weigh: Weigh): string[] {
  const compressed = measured.flights.reduce((all, { analysis }) => all + analysis.duplicates.compressed, 0);
  const bytes = weigh({ bytes: measured.duplicates, compressed });
  if (bytes < 0.5) return [];
  const [largest] = takeLargest(listDuplicates(measured), weigh);
  return [`    ${formatBytes(bytes)} of duplicates${largest ? `: ${largest.text}` : ''}`];
}

/** Prints both in bytes where rounding would make them one figure. */
function printOver(actual: number, { most, taken }: Figure, what: string): string {
  const [one, other] = [formatBytes(actual), formatBytes(most)];
  const [shown, limit] = one === other ? [countOf(actual, 'byte'), countOf(most, 'byte')] : [one, other];
  return `${shown}${what}, limit ${limit}${printTaken(taken, formatBytes)}: ${countOf(actual - most, 'byte')} over`;
}

/** Of a limit that is so much more than a base has. */
function printTaken(taken: Figure['taken'], format: (figure: number) => string): string {
  if (!taken) return '';
  const { unit, value } = taken.growth;
  return ` (${format(taken.from)} of the base and ${unit === 'percent' ? `${value} %` : format(value)})`;
}

function compareSize(
  measured: Measured,
  what: string,
  actual: number,
  limit: Figure | undefined,
  weigh: Weigh,
): string[] {
  if (limit === undefined || actual <= limit.most) return [];
  return [
    `  payload ${printOver(actual, limit, what)}`,
    ...printParts(
      measured.flights.flatMap((one) => listElements(measured, one)),
      weigh,
    ),
    ...printRepeated(measured, weigh),
    ...printDevelopment(measured),
  ];
}

function compareDuplicates(measured: Measured, limit: Figure | undefined): string[] {
  const { duplicates } = measured;
  if (limit === undefined || duplicates <= limit.most) return [];
  const head = `  ${printOver(duplicates, limit, ' of duplicates')}`;
  return [head, ...printParts(listDuplicates(measured), ({ bytes }) => bytes), ...printDevelopment(measured)];
}

function compareModules({ modules }: Measured, limit: Figure | undefined): string[] {
  if (limit === undefined || modules.length <= limit.most) return [];
  const bySize = modules.toSorted((a, b) => b.bytes - a.bytes);
  const lines = bySize.slice(0, maxModules).map((module) => {
    const { elements, values, bytes, source } = module;
    const uses = elements + values === 0 ? 'not used' : countOf(elements + values, 'use');
    const file = shorten(source ?? module.module);
    const name = shorten(nameModule(module));
    return `    ${name.includes(file) ? name : `${name} of ${file}`}: ${uses}, ${formatBytes(bytes)}`;
  });
  const more = modules.length - lines.length;
  return [
    `  ${countOf(modules.length, 'client module')}, limit ${formatCount(limit.most)}${printTaken(limit.taken, formatCount)}: ` +
      `${formatCount(modules.length - limit.most)} over`,
    ...lines,
    ...(more > 0 ? [`    and ${formatCount(more)} more`] : []),
  ];
}

/** The findings hold where a secret is, and not what it says. */
function listSecrets(measured: Measured, isForbidden: boolean | undefined): string[] {
  if (isForbidden !== true) return [];
  return measured.flights.flatMap((one) =>
    one.analysis.findings.flatMap(({ kind, title, place }) =>
      kind === 'secret' ? [`  ${escapeText(title).replace(/\.$/, '')} (${printPlace(measured, one, place.row)})`] : [],
    ),
  );
}

/** A line for each limit that is exceeded, and under it what the figure is made of; none when all is within. */
export function describeExcess(measured: Measured, limits: Figures): string[] {
  return [
    ...compareSize(measured, '', measured.bytes, limits.bytes, ({ bytes }) => bytes),
    ...compareSize(measured, ' gzip', measured.gzip, limits.gzip, ({ compressed }) => compressed),
    ...compareDuplicates(measured, limits.duplicates),
    ...compareModules(measured, limits.clientModules),
    ...listSecrets(measured, limits.noSecrets),
  ];
}
