import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { projectFolder } from '../../src/project.js';
import { startService } from '../support/service/service.js';
import { launchBrowser, withoutBrowser } from './chromium.js';
import { authorize, execute, open, sampleIn } from './docs-page.js';

/** Runs the code samples of the docs page, and expects each to do what the page did. */

const run = promisify(execFile);
t.setTimeout(300_000);
/** Debian's sources of Rust crates, as in clients-beyond-typescript.tools.test.ts. */
const crates = '/usr/share/cargo/registry';

const languages = [
  { language: 'curl', file: 'sample.sh', command: ['sh', 'sample.sh'], needs: ['curl', '--version'] },
  {
    language: 'JavaScript',
    file: 'sample.mjs',
    command: ['node', 'sample.mjs'],
    needs: ['node', '--version'],
  },
  {
    language: 'Python',
    file: 'sample.py',
    command: ['python3', 'sample.py'],
    needs: ['python3', '--version'],
  },
  { language: 'Go', file: 'sample.go', command: ['go', 'run', 'sample.go'], needs: ['go', 'version'] },
  { language: 'Java', file: 'Sample.java', command: ['java', 'Sample.java'], needs: ['javac', '--version'] },
  {
    language: 'Rust',
    file: 'src/main.rs',
    command: [
      ...['cargo', 'run', '--quiet', '--offline'],
      ...['--config', 'source.crates-io.replace-with="debian"'],
      ...['--config', `source.debian.directory="${crates}"`],
    ],
    needs: ['ls', `${crates}/reqwest-0.11.13`],
  },
  { language: 'Ruby', file: 'sample.rb', command: ['ruby', 'sample.rb'], needs: ['ruby', '--version'] },
  { language: 'Perl', file: 'sample.pl', command: ['perl', 'sample.pl'], needs: ['perl', '--version'] },
] as const;

const cargo = `[package]
name = "sample"
version = "1.0.0"
edition = "2021"
[dependencies]
reqwest = { version = "0.11", default-features = false, features = ["blocking"] }
[profile.dev]
debug = false
`;

t.test('the code samples of the docs page run', { skip: withoutBrowser }, async (t) => {
  const service = await startService(t);
  const browser = await launchBrowser(t);
  const page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(`${service.address}/docs`);
  await page.getByText('Create a plant', { exact: true }).waitFor();
  await authorize(page, service.token);
  const create = await open(page, 'createPlant');
  const list = await open(page, 'listPlants');
  const remove = await open(page, 'deletePlant');

  // Characters that each language escapes in its own way, and a number with more digits than a double has.
  const plant = '{ "id": 9007199254740993, "name": "A \\"rose\\" #{1} $x @y \'n\' \\\\ Ä 🌹" }';
  await create.locator('textarea').fill(plant);
  t.equal((await execute(create)).status, '200');
  t.equal((await execute(list)).status, '200');
  await remove.getByPlaceholder('id').fill('9007199254740993');
  t.equal((await execute(remove)).status, '204');

  for (const { language, file, command, needs } of languages) {
    const [tool, ...asked] = needs;
    const skip = spawnSync(tool, asked).status !== 0 && `${tool} is not on this machine`;
    t.test(`the ${language} samples of the docs page create, list and delete`, { skip }, async (t) => {
      const folder = t.testdir({ 'Cargo.toml': cargo, src: {} });
      const answers: string[] = [];
      for (const operation of [create, list, remove]) {
        await writeFile(join(folder, file), `${await sampleIn(operation, language)}\n`);
        const [program, ...parameters] = command;
        const { stdout } = await run(program, parameters, {
          cwd: folder,
          env: {
            ...process.env,
            // Java writes question marks for characters outside the encoding of the locale.
            LC_ALL: 'C.UTF-8',
            // Keeps the built crates for the next run.
            CARGO_TARGET_DIR: join(projectFolder, 'clients', 'languages', 'target'),
          },
        });
        answers.push(stdout);
      }
      const [created = '', listed = '', deleted = ''] = answers;
      t.match(created, String.raw`"A \"rose\" #{1} $x @y 'n' \\ Ä 🌹"`);
      t.match(listed, '[{"name":"A ');
      t.match(listed, /\n$/, 'and the prompt is on a line of its own');
      t.notMatch(deleted, 'error');
      t.equal((await service.call('GET', '/plants')).text, '[]');
    });
  }
});
