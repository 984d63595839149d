// The official TypeScript client, current line: both eras over both transports.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { check, finish, serverCommand, walk, withHttpServer, withWorkspace } from './checks.mjs';

const modes = { legacy: 'legacy', auto: 'auto', pinned: { pin: '2026-07-28' } };

async function walkWith(name, mode, folder, transport) {
  const client = new Client({ name: 'berth-tests', version: '1' }, { versionNegotiation: { mode: modes[mode] } });
  client.call = (params, options) => client.callTool(params, options);
  await client.connect(transport);
  try {
    const modern = mode !== 'legacy';
    await check(`${name}: speaks the era asked for`, async () =>
      assert.equal(client.getNegotiatedProtocolVersion(), modern ? '2026-07-28' : '2025-11-25'));
    await walk(name, folder, client, { modern });
  } finally {
    await client.close();
  }
}

for (const mode of Object.keys(modes)) {
  await withWorkspace(async folder => {
    const name = `typescript stdio ${mode}`;
    await check(name, () => walkWith(name, mode, folder, new StdioClientTransport({ ...serverCommand(folder), stderr: 'inherit' })));
  });
  await withWorkspace(async folder => {
    const name = `typescript http ${mode}`;
    await check(name, () => withHttpServer(folder, url => walkWith(name, mode, folder, new StreamableHTTPClientTransport(url))));
  });
}
finish();
