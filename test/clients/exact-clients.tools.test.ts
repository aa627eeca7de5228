import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { makeFolder, projectFolder } from '../../packages/kit/index.js';
import { call, docsBlock } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';

/**
 * Does what docs/clients.md tells a new user, word by word, in an empty folder. npm installs the packages of
 * the page, so it needs the network.
 */

const run = promisify(execFile);
t.setTimeout(900_000);

// Only the evidence installs the generators, and only there is npm sure to have a network.
const skip =
  !existsSync(join(projectFolder, 'test', 'clients', 'generators', 'node_modules')) &&
  'the generators are not installed (`npm ci --prefix test/clients/generators`)';

for (const section of ['openapi-fetch', 'hey-api']) {
  t.test(`a new user stores 9007199254740993 as the page says: ${section}`, { skip }, async (t) => {
    const { address, tokens } = await startService(t);
    const token = await tokens.issue(section);
    // A folder of the project would be a part of the project for npm.
    const folder = await makeFolder(t);
    const packed = await run('npm', ['run', '--silent', 'pack:contract', '--', '--out', folder], {
      cwd: projectFolder,
    });
    // `npm test` tells the npm in it to work in the project's folder.
    const { npm_config_local_prefix: _, ...inherited } = process.env;
    const environment = {
      ...inherited,
      CONTRACT: join(projectFolder, packed.stdout.trim()),
      PLANTS_URL: address,
      PLANTS_TOKEN: token,
      NO_COLOR: '1',
      DO_NOT_TRACK: '1',
    };
    const paste = (block: string) => run('bash', ['-e', '-c', block], { cwd: folder, env: environment });

    await paste(await docsBlock('clients.md', section, 'sh'));
    await writeFile(join(folder, 'store.ts'), await docsBlock('clients.md', section, 'ts'));
    const { stdout } = await paste(await docsBlock('clients.md', section, 'sh', 2));
    t.equal(stdout, "{ name: 'Monstera deliciosa' }\n");
    const removed = await call(address, 'DELETE', '/plants/9007199254740993', { token });
    t.equal(removed.status, 204, 'exactly this plant was stored');

    // The page says what happens without the serializer.
    const program = await readFile(join(folder, 'store.ts'), 'utf8');
    await writeFile(join(folder, 'store.ts'), program.replace(/,\s*bodySerializer: writeJson/, ''));
    const without = section === 'hey-api' ? /must be an integer/ : /Do not know how to serialize a BigInt/;
    await t.rejects(paste('npx tsx store.ts'), { message: without });
  });
}
