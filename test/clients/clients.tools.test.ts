import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { serveIn } from '../../packages/contract-tools/base.js';
import { projectFolder } from '../../packages/kit/index.js';
import { clientStory, readSteps } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';

/**
 * Clients for TypeScript that generators make. Each client is made from the served document, compiles under
 * "strict" and tells the story of generators/story.ts. What it sends is read on its way to the service, and what
 * the table of docs/clients.md says must be the same. `npm ci --prefix test/clients/generators` installs the
 * generators apart from the project.
 */

const run = promisify(execFile);
t.setTimeout(900_000);

const folder = join(projectFolder, 'test', 'clients', 'generators');
const modules = join(folder, 'node_modules');
const skip =
  !existsSync(modules) && 'the generators are not installed (`npm ci --prefix test/clients/generators`)';
const document = './out/openapi.json';

/** How each client is made, by its story. */
const generators: Readonly<Record<string, { readonly row: RegExp; readonly command?: string }>> = {
  'openapi-fetch': {
    row: /^openapi-typescript [\d.]+ with openapi-fetch [\d.]+$/,
    command: `openapi-typescript ${document} -o out/openapi-fetch.ts`,
  },
  'openapi-fetch-exact': { row: /^plant-store-contract with openapi-fetch [\d.]+$/ },
  'hey-api': {
    row: /^@hey-api\/openapi-ts [\d.]+$/,
    command: `openapi-ts -i ${document} -o out/hey-api`,
  },
  'hey-api-exact': {
    row: /^@hey-api\/openapi-ts [\d.]+, with `bigint` and plant-store-contract$/,
    command: `openapi-ts -i ${document} -o out/hey-api-exact -p @hey-api/client-fetch @hey-api/typescript @hey-api/sdk @hey-api/transformers`,
  },
  orval: { row: /^orval [\d.]+/, command: 'orval --config ./orval.config.cjs' },
  oazapfts: { row: /^oazapfts [\d.]+/, command: `oazapfts ${document} out/oazapfts.ts` },
  kubb: { row: /^@kubb\/plugin-client [\d.]+/, command: 'kubb generate --config kubb.config.mjs' },
  'swagger-client': { row: /^swagger-client [\d.]+/ },
};

interface Told {
  readonly steps: object;
  readonly failure: string;
  readonly nothing: string;
}

t.test('TypeScript clients that are generated from the served document work', { skip }, async (t) => {
  const service = await startService(t);
  const recorder = await recordingProxy(t, service.address);
  await rm(join(folder, 'out'), { recursive: true, force: true });
  await mkdir(join(folder, 'out'));
  const served = await fetch(`${recorder.address}/openapi.json`);
  await writeFile(join(folder, document), await served.text());
  await installContractPackage();

  for (const [name, { row, command }] of Object.entries(generators)) {
    t.test(`the client that ${name} makes works, and does what docs/clients.md says`, async (t) => {
      const PATH = `${join(modules, '.bin')}:${process.env['PATH']}`;
      const options = { cwd: folder, env: { ...process.env, PATH, NO_COLOR: '1', DO_NOT_TRACK: '1' } };
      if (command !== undefined) await run('sh', ['-c', command], options);

      const project = { extends: '../tsconfig.json', files: [`../stories/${name}.ts`] };
      await writeFile(join(folder, 'out', `tsconfig.${name}.json`), JSON.stringify(project));
      for (const compiler of ['typescript', 'typescript-7']) {
        const compile = [join('node_modules', compiler, 'bin', 'tsc'), '-p', `out/tsconfig.${name}.json`];
        await t.resolves(run(process.execPath, compile, options), `it compiles under "strict": ${compiler}`);
      }

      const token = await service.tokens.issue(name);
      const { stdout } = await run(process.execPath, ['--import', 'tsx', `stories/${name}.ts`], {
        ...options,
        env: { ...options.env, PLANTS_URL: recorder.address, PLANTS_TOKEN: token },
      });
      const told: Told = JSON.parse(stdout);
      t.strictSame(readSteps(JSON.stringify(told.steps)), clientStory, 'the story');

      const cells = await cellsOf(row);
      t.equal(cells['a create of 2^53+1 sends'], `\`${recorder.idOf('Fern 9007199254740993')}\``);
      t.match(cells['a 409'], new RegExp(`^${told.failure}\\b`));
      t.equal(cells['a 204'], `\`${told.nothing}\``);
      if (!name.endsWith('-exact')) return;
      for (const id of [2n ** 63n - 1n, -(2n ** 63n)])
        t.equal(recorder.idOf(`Fern ${id}`), String(id), 'the ends of int64 are sent exactly');
    });
  }
});

/** Puts the package of `npm run pack:contract` where the stories find it. */
async function installContractPackage(): Promise<void> {
  const packed = join(folder, 'out', 'packed');
  const target = join(modules, 'plant-store-contract');
  await run('npm', ['run', '--silent', 'pack:contract', '--', '--out', packed], { cwd: projectFolder });
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  const unpack = `tar -xzf "${packed}"/*.tgz --strip-components=1 -C "${target}"`;
  await run('sh', ['-c', unpack]);
}

/** Passes requests on, and knows the id that was sent with each name, as the client wrote it. */
async function recordingProxy(t: Test, target: string) {
  const ids = new Map<string, string>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const [, id = ''] = /"id":\s*("[^"]*"|[^,}\s]*)/.exec(String(body)) ?? [];
    const [, name] = /"name":\s*"([^"]*)"/.exec(String(body)) ?? [];
    if (name !== undefined) ids.set(name, id);
    const { method, url = '/', headers } = incoming;
    // The Host stays that of this proxy, because the served document names it as its server.
    request(target + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    }).end(body);
  });
  return { address: await serveIn(t, server), idOf: (name: string) => ids.get(name) };
}

/** The cells of a row of docs/clients.md, by the names of their columns. */
async function cellsOf(row: RegExp): Promise<Readonly<Record<string, string>>> {
  const page = await readFile(join(projectFolder, 'docs', 'clients.md'), 'utf8');
  const rows = page.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const columns = rows.find(([first]) => first === 'generator') ?? [];
  const cells = rows.find(([first = '']) => row.test(first));
  if (cells === undefined) throw new Error(`docs/clients.md has no row for ${row}.`);
  return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
}
