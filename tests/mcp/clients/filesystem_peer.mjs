// The profile `filesystem` beside the reference filesystem server: the same calls on the same files have the same
// outcomes, and where that server has a fault, ours has not.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { check, finish, serverCommand } from './checks.mjs';

const reference = join(process.env.BERTH_CLIENTS, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const ordinary = {
  'readme.md': '# Title\n\nSome text.\n',
  'open.txt': 'one\ntwo\nthree',
  'src/main.c': 'int main(void) {\n  return 0;\n}\n',
  'src/deep/util.c': 'int twice(int x) { return x + x; }\n',
  'src/deep/.hidden.c': 'hidden\n',
  'words.txt': 'Grüße, 世界 🙂\n',
  'windows.txt': 'one\r\ntwo\r\n',
  'empty.txt': '',
  'node_modules/x/index.md': 'x\n',
  'dot.png': png,
  'data.bin': Buffer.from([0, 1, 2, 255, 254]),
  'large.txt': 'x'.repeat(5000),
};

// What of the answers must be equal. Files afterwards always must.
const text = answer => answer.content.map(block => block.text ?? '').join('');
const lines = answer => text(answer).split('\n').sort();
const tree = answer => sorted(JSON.parse(text(answer)));
const media = answer => answer.content.map(block => block.resource ? { blob: block.resource.blob } : block);
const facts = answer => text(answer).split('\n').filter(line => /^(size|isDirectory|isFile|permissions):/.test(line));
const files = answer => text(answer).split('\n').filter(line => line.startsWith('[FILE]'));
const outcome = () => undefined;

function sorted(nodes) {
  return nodes.map(({ children, ...rest }) => children ? { ...rest, children: sorted(children) } : rest)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const read = (path, more = {}) => ['read_text_file', { path, ...more }];
const edit = (path, ...pairs) => ['edit_file', { path, edits: pairs.map(([oldText, newText]) => ({ oldText, newText })) }];
const cases = [
  ['reads a file', text, read('readme.md')],
  ['reads a file by its older name', text, ['read_file', { path: 'src/main.c' }]],
  ['reads a file by its absolute path', text, read('{ROOT}/src/deep/util.c')],
  ['reads a path with dots', text, read('src/../readme.md')],
  ['reads text beyond ASCII', text, read('words.txt')],
  ['reads CRLF as it stands', text, read('windows.txt')],
  ['reads an empty file', text, read('empty.txt')],
  ['reads the first lines', text, read('readme.md', { head: 2 })],
  ['reads more first lines than there are', text, read('readme.md', { head: 10 })],
  ['reads the last lines', text, read('open.txt', { tail: 2 })],
  ['reads more last lines than there are', text, read('open.txt', { tail: 10 })],
  ['takes 0 lines for not given', text, read('readme.md', { head: 0 })],
  ['refuses head with tail', outcome, read('readme.md', { head: 1, tail: 1 })],
  ['refuses a missing file', outcome, read('none')],
  ['refuses a directory', outcome, read('src')],
  ['refuses a path outside', outcome, read('../outside')],
  ['refuses an absolute path outside', outcome, read('/etc/hostname')],
  ['refuses a home', outcome, read('~/none')],
  ['refuses a drive of Windows', outcome, ['write_file', { path: 'C:\\x', content: 'x' }]],
  ['reads an image', media, ['read_media_file', { path: 'dot.png' }]],
  ['reads other binary files', media, ['read_media_file', { path: 'data.bin' }]],
  ['reads several files', text, ['read_multiple_files', { paths: ['readme.md', 'src/main.c'] }]],
  ['reads the others when one is missing', outcome, ['read_multiple_files', { paths: ['none', 'src/main.c'] }]],
  ['refuses to read no files', outcome, ['read_multiple_files', { paths: [] }]],
  ['makes a file', outcome, ['write_file', { path: 'new.txt', content: 'a\nb\r\n世界' }]],
  ['overwrites a file', outcome, ['write_file', { path: 'readme.md', content: '' }]],
  ['refuses to write a directory', outcome, ['write_file', { path: 'src', content: 'x' }]],
  ['edits a place', outcome, edit('src/main.c', ['return 0', 'return 1'])],
  ['edits places one after the other', outcome, edit('src/main.c', ['return 0', 'return 1'], ['return 1;', 'return 2;'])],
  ['edits several lines', outcome, edit('src/main.c', ['{\n  return 0;\n}', '{ return 0; }'])],
  ['edits with text that a pattern would take', outcome, edit('src/main.c', ['return 0', '$& $1 \\0'])],
  ['removes text', outcome, edit('readme.md', ['Some text.\n', ''])],
  ['refuses an edit of what is not there', outcome, edit('readme.md', ['Title', 'Name'], ['nowhere', 'x'])],
  ['refuses to edit a missing file', outcome, edit('none', ['a', 'b'])],
  ['shows an edit without making it', outcome,
    ['edit_file', { path: 'readme.md', edits: [{ oldText: 'Title', newText: 'Name' }], dryRun: true }]],
  ['makes a directory', outcome, ['create_directory', { path: 'a/b/c' }]],
  ['is content with a directory', outcome, ['create_directory', { path: 'src' }]],
  ['refuses a directory where a file is', outcome, ['create_directory', { path: 'readme.md' }]],
  ['lists a directory', lines, ['list_directory', { path: '.' }]],
  ['lists a directory by its absolute path', lines, ['list_directory', { path: '{ROOT}/src/deep' }]],
  ['refuses to list a file', outcome, ['list_directory', { path: 'readme.md' }]],
  ['lists with sizes', text, ['list_directory_with_sizes', { path: '.' }]],
  ['lists the largest first', answer => files(answer).slice(0, 5), ['list_directory_with_sizes', { path: '.', sortBy: 'size' }]],
  ['shows a tree', tree, ['directory_tree', { path: '.' }]],
  ['shows a tree of a directory', tree, ['directory_tree', { path: 'src' }]],
  ['leaves names out of a tree', tree, ['directory_tree', { path: '.', excludePatterns: ['node_modules', 'util.c'] }]],
  ['leaves patterns out of a tree', tree, ['directory_tree', { path: '.', excludePatterns: ['**/*.c', '*.txt'] }]],
  ['renames a file', outcome, ['move_file', { source: 'readme.md', destination: 'README' }]],
  ['moves a file into a directory', outcome, ['move_file', { source: 'readme.md', destination: 'src/readme.md' }]],
  ['moves a directory', outcome, ['move_file', { source: 'src', destination: 'lib' }]],
  ['refuses to move over a file', outcome, ['move_file', { source: 'readme.md', destination: 'open.txt' }]],
  ['refuses to move what is missing', outcome, ['move_file', { source: 'none', destination: 'x' }]],
  ['finds names at any depth', lines, ['search_files', { path: '.', pattern: '**/*.c' }]],
  ['finds names in one directory', lines, ['search_files', { path: '.', pattern: '*.txt' }]],
  ['finds names below a directory', lines, ['search_files', { path: 'src', pattern: '**/util*' }]],
  ['finds either of two endings', lines, ['search_files', { path: '.', pattern: '**/*.{c,md}' }]],
  ['finds directories', lines, ['search_files', { path: '.', pattern: '**/deep' }]],
  ['leaves patterns out of a search', lines, ['search_files', { path: '.', pattern: '**/*.md', excludePatterns: ['node_modules'] }]],
  ['leaves trees out of a search', lines, ['search_files', { path: '.', pattern: '**/*.md', excludePatterns: ['node_modules/**'] }]],
  ['finds nothing', text, ['search_files', { path: '.', pattern: '*.rs' }]],
  ['describes a file', facts, ['get_file_info', { path: 'large.txt' }]],
  ['describes a directory', answer => facts(answer).slice(1), ['get_file_info', { path: 'src' }]],
  ['refuses to describe what is missing', outcome, ['get_file_info', { path: 'none' }]],
  ['names the allowed directories', text, ['list_allowed_directories', {}]],
];

// Where that server is wrong: what ours does instead. `file` is one that is looked at afterwards.
const faults = [
  { name: 'line endings rewritten', call: edit('windows.txt', ['two', '2']), file: 'windows.txt', ours: 'one\r\n2\r\n', theirs: 'one\n2\n' },
  { name: 'the first of several matches edited', call: edit('src/deep/util.c', ['x', 'y']), file: 'src/deep/util.c', refused: true,
    ours: ordinary['src/deep/util.c'], theirs: 'int twice(int y) { return x + x; }\n' },
  { name: 'binary files corrupted', call: edit('data.bin', ['\u0001', 'x']), file: 'data.bin', refused: true,
    ours: ordinary['data.bin'], theirs: Buffer.from([0, 0x78, 2, 0xef, 0xbf, 0xbd, 0xef, 0xbf, 0xbd]) },
];

function put(root, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

function everything(root, below = '') {
  const found = {};
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = join(below, name);
    if (lstatSync(join(root, path)).isDirectory()) Object.assign(found, { [`${path}/`]: '' }, everything(root, path));
    else found[path] = readFileSync(join(root, path)).toString('base64');
  }
  return found;
}

/** A server on files of its own. */
class Peer {
  constructor(command) {
    this.command = command;
    this.parent = realpathSync(mkdtempSync(join(tmpdir(), 'berth-peer-')));
    this.root = join(this.parent, 'root');
    mkdirSync(this.root);
  }

  async begin() {
    this.client = new Client({ name: 'berth-tests', version: '1' });
    await this.client.connect(new StdioClientTransport({ ...this.command(this.root), stderr: 'ignore' }));
    this.tools = (await this.client.listTools()).tools;
  }

  async call([name, given]) {
    const found = await this.client.callTool({ name, arguments: JSON.parse(JSON.stringify(given).replaceAll('{ROOT}', this.root)) });
    return JSON.parse(JSON.stringify(found).replaceAll(this.root, '{ROOT}'));
  }

  renew() {
    for (const name of readdirSync(this.root)) rmSync(join(this.root, name), { recursive: true });
    put(this.root, ordinary);
  }

  async end() {
    await this.client.close();
    rmSync(this.parent, { recursive: true, force: true });
  }
}

/** The same files for both. What ours has read in a case before, it would not overwrite now: it begins a new conversation. */
async function renew() {
  ours.renew();
  theirs.renew();
  await ours.client.close();
  await ours.begin();
}

const ours = new Peer(root => serverCommand(root, '--profile', 'filesystem'));
const theirs = new Peer(root => ({ command: process.execPath, args: [reference, root] }));
try {
  await Promise.all([ours.begin(), theirs.begin()]);

  for (const tool of theirs.tools) {
    await check(`filesystem peer: ${tool.name} has the same arguments`, async () => {
      const mine = ours.tools.find(one => one.name === tool.name);
      assert(mine, 'is not offered');
      const shape = ({ properties = {}, required = [] }) =>
        [Object.entries(properties).map(([name, { type }]) => `${name}: ${type === 'number' ? 'integer' : type}`).sort(), [...required].sort()];
      // Theirs says that an argument with a default is required.
      const [names, needed] = shape(tool.inputSchema);
      const [ourNames, ourNeeded] = shape(mine.inputSchema);
      assert.deepEqual(ourNames, names);
      assert.deepEqual(ourNeeded.filter(name => !needed.includes(name)), []);
      assert.equal(mine.annotations.readOnlyHint, tool.annotations.readOnlyHint);
    });
  }

  for (const [name, part, call] of cases) {
    await check(`filesystem peer: ${name}`, async () => {
      await renew();
      const [mine, their] = [await ours.call(call), await theirs.call(call)];
      assert.equal(Boolean(mine.isError), Boolean(their.isError), `${text(mine)} | ${text(their)}`);
      if (!mine.isError) {
        assert.deepEqual(part(mine), part(their));
        // A program finds the text where it did.
        if (typeof their.structuredContent?.content === 'string') assert.equal(mine.structuredContent.content, text(mine));
      } else {
        assert(mine._meta['berth/error'].code, 'the failure has no code');
      }
      assert.deepEqual(everything(ours.root), everything(theirs.root));
    });
  }

  for (const fault of faults) {
    await check(`filesystem peer: without the fault: ${fault.name}`, async () => {
      await renew();
      const [mine, their] = [await ours.call(fault.call), await theirs.call(fault.call)];
      assert.equal(Boolean(mine.isError), Boolean(fault.refused), text(mine));
      assert.deepEqual(readFileSync(join(ours.root, fault.file)), Buffer.from(fault.ours));
      assert.deepEqual(readFileSync(join(theirs.root, fault.file)), Buffer.from(fault.theirs), `the reference is right by now: ${text(their)}`);
    });
  }
} finally {
  await Promise.all([ours.end(), theirs.end()]);
}
finish();
