import { describeApp, type AppFacts } from './describe-app.ts';
import type { Guess } from './framework.ts';
import { frameworkRecords, type Framework } from './frameworks/framework-records.ts';
import { readFlightFromHtml, type HtmlFlight } from './from-html.ts';
import { findScripts } from './script-elements.ts';

/** The facts of a page's source: of its first payload, and when that shows no framework, of its scripts. Never throws. */
export function describePage(
  html: string,
  flights: readonly HtmlFlight[] = readFlightFromHtml(html),
): AppFacts & { readonly flights: readonly HtmlFlight[] } {
  const facts = describeApp(flights[0]?.bytes ?? new Uint8Array());
  return { ...facts, framework: facts.framework ?? guessByScripts(html), flights };
}

function guessByScripts(html: string): Guess<Framework> | undefined {
  const found = new Set<Framework>();
  for (const { code } of findScripts(html)) {
    for (const { name, scriptSign } of frameworkRecords) {
      if (scriptSign !== undefined && code.includes(scriptSign)) found.add(name);
    }
  }
  const record = frameworkRecords.find(({ name }) => found.has(name));
  return record && { guess: record.name, because: `a script of the page has ${record.scriptSign}` };
}
