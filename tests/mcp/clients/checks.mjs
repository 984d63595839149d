// What the TypeScript clients' tests share; the same as checks.py does for Python.
import { readFileSync, mkdtempSync, mkdirSync, writeFileSync, rmSync, existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';

const here = dirname(fileURLToPath(import.meta.url));
export const berth = process.env.BERTH_PROGRAM ?? join(here, '../../../build/release/berth');
export const walkTable = JSON.parse(readFileSync(join(here, 'walk.json'), 'utf8'));
let failed = 0;

export async function check(name, body) {
  try {
    await body();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.error(error);
    console.log(`not ok ${name}: ${String(error?.message ?? error).split(/\s+/).join(' ')}`);
  }
}

export function finish() {
  process.exit(failed ? 1 : 0);
}

/** Call `body` with a fresh folder that holds the files of the table. */
export async function withWorkspace(body) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-clients-'));
  try {
    for (const [name, content] of Object.entries(walkTable.files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function serverCommand(folder, ...options) {
  return { command: berth, args: ['-w', folder, 'mcp', ...options] };
}

/** Call `body` with the URL of a server on a free port of loopback. */
export async function withHttpServer(folder, body) {
  const { command, args } = serverCommand(folder, '--http', '127.0.0.1:0');
  const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(server, 'exit');
  try {
    let url;
    for await (const line of createInterface({ input: server.stderr })) {
      url = /http:\/\/\S+/.exec(line)?.[0].replace(/[.,]+$/, '');
      if (url) break;
    }
    assert(url, 'the server ended and named no address');
    await body(new URL(url));
  } finally {
    server.kill('SIGTERM');
    await exited;
  }
}

function isPart(part, whole) {
  if (part === null || typeof part !== 'object') return part === whole;
  return whole !== null && typeof whole === 'object' && Object.entries(part).every(([key, value]) => isPart(value, whole[key]));
}

export function checkCall(call, result) {
  const text = result.content.filter(block => block.type === 'text').map(block => block.text).join('');
  if (call.error) {
    assert(result.isError, `was not refused: ${text}`);
    if (result.structuredContent) assert.equal(result.structuredContent.error?.code, call.error);
    return;
  }
  assert(!result.isError, text);
  assert(isPart(call.structured ?? {}, result.structuredContent ?? null), JSON.stringify(result.structuredContent));
  assert(text.includes(call.text ?? ''), text);
}

function alive(pid) {
  const path = `/proc/${pid}/stat`;
  try {
    return readFileSync(path, 'utf8').split(')').at(-1).trim().split(' ')[0] !== 'Z';
  } catch {
    return false;
  }
}

async function until(condition, what) {
  const end = Date.now() + 20_000;
  while (!condition()) {
    assert(Date.now() < end, `not within 20 s: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

/** Every page of a list. */
async function everyPage(fetch, member) {
  const items = [];
  let cursor;
  do {
    const page = await fetch(cursor === undefined ? {} : { cursor });
    items.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

/**
 * Do with a connected client all that the table says, and the rest of what every client does.
 * `client` has listTools, listResources, readResource, ping and `call(params, options)`.
 */
export async function walk(name, folder, client, { modern }) {
  await check(`${name}: lists tools`, async () => {
    const names = (await everyPage(params => client.listTools(params), 'tools')).map(tool => tool.name);
    for (const call of walkTable.calls) assert(names.includes(call.tool), `${call.tool} is not among ${names}`);
  });
  for (const call of walkTable.calls) {
    await check(`${name}: ${call.name}`, async () =>
      checkCall(call, await client.call({ name: call.tool, arguments: call.arguments }, {})));
  }
  await check(`${name}: progress of a long command`, async () => {
    const heard = [];
    await client.call({ name: 'execute', arguments: { command: 'for i in 1 2 3 4 5; do echo $i; sleep 0.3; done' } },
      { onprogress: progress => heard.push(progress.progress) });
    assert(heard.length > 0 && heard.every((value, index) => index === 0 || value > heard[index - 1]), String(heard));
  });
  await check(`${name}: a cancelled call kills its command`, async () => {
    const abort = new AbortController();
    const call = client.call({ name: 'execute', arguments: { command: 'echo $$ > pid; exec sleep 300' } }, { signal: abort.signal });
    const pidFile = join(folder, 'pid');
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim(), 'the command runs');
    const pid = Number(readFileSync(pidFile, 'utf8'));
    abort.abort();
    await assert.rejects(call);
    await until(() => !alive(pid), 'the command is dead');
  });
  await check(`${name}: lists and reads resources`, async () => {
    const resources = await everyPage(params => client.listResources(params), 'resources');
    const uri = resources.map(one => one.uri).find(one => one.endsWith('README.md'));
    const { contents } = await client.readResource({ uri });
    assert.equal(contents[0].text, '# hi\n');
  });
  if (!modern) await check(`${name}: ping`, async () => { await client.ping(); });
}
