// The official TypeScript SDK, the line before: `initialize` over both transports.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { check, finish, serverCommand, walk, withHttpServer, withWorkspace } from './checks.mjs';

async function walkWith(name, folder, transport) {
  const client = new Client({ name: 'berth-tests', version: '1' });
  client.call = (params, options) => client.callTool(params, undefined, options);
  await client.connect(transport);
  try {
    await walk(name, folder, client, { modern: false });
  } finally {
    await transport.terminateSession?.();
    await client.close();
  }
}

await withWorkspace(async folder => {
  await check('sdk stdio', () => walkWith('sdk stdio', folder, new StdioClientTransport({ ...serverCommand(folder), stderr: 'inherit' })));
});
await withWorkspace(async folder => {
  await check('sdk http', () => withHttpServer(folder, url => walkWith('sdk http', folder, new StreamableHTTPClientTransport(url))));
});
finish();
