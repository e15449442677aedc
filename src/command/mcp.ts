import { readOptions } from './read-options.ts';
import { mcpOptions } from './options.ts';
import { openSource } from './read-api/open-source.ts';
import { serveMcp } from './mcp/serve-mcp.ts';

/** `mcp`: tools for a coding agent, on standard input and output, until the agent closes them. */
export async function mcp(args: readonly string[]): Promise<number | undefined> {
  const { values, rest } = readOptions(mcpOptions, args);
  if (rest !== undefined) return undefined;
  const source = await openSource({ url: values.get('--url'), data: values.get('--data') });
  try {
    await serveMcp(source);
    return 0;
  } finally {
    await source.close();
  }
}
