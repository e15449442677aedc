import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

import { readOptions } from './read-options.ts';
import { mcpOptions } from './options.ts';
import { openSource } from './read-api/open-source.ts';
import { version } from '../../package.json' with { type: 'json' };
import type { ApiSource } from './read-api/api-source.ts';
import { callTool } from './mcp/call-tool.ts';
import { instructions } from './mcp/describe-answer.ts';
import { listTools } from './mcp/tools.ts';

/**
 * The server of the protocol, on standard input and output, from the official SDK. Its lower layer is used, and not `McpServer`: that
 * one takes schemas of zod, and ours are those of the API.
 */
async function serveMcp(source: ApiSource): Promise<void> {
  const server = new Server(
    { name: 'flight-recorder', title: 'Flight Recorder', version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listTools() }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(source, params.name, params.arguments ?? {}),
  );
  const closed = Promise.withResolvers<void>();
  // The SDK has no other way to say it.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onclose = closed.resolve;
  const transport = new StdioServerTransport();
  // The SDK does not look for the end of its input: the agent that started this has gone.
  process.stdin.once('end', () => void server.close());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
  await server.connect(transport);
  await closed.promise;
}

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
