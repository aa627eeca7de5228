import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { startService } from '../../packages/service/test/support/service.js';
import { launchBrowser, withoutBrowser } from './chromium.js';
import { authorize, execute, open, snippetIn } from './docs-page.js';

/** Runs the commands of curl that the docs page shows, and expects each to do what the page did. */

const run = promisify(execFile);
t.setTimeout(300_000);
t.test(
  'the commands that the docs page shows create, list and delete',
  { skip: withoutBrowser },
  async (t) => {
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

    // Characters that a shell or JSON escapes, and a number with more digits than a double has.
    const plant = '{ "id": 9007199254740993, "name": "A \\"rose\\" #{1} $x @y \'n\' \\\\ Ä 🌹" }';
    await create.locator('textarea').fill(plant);
    t.equal((await execute(create)).status, '200');
    t.equal((await execute(list)).status, '200');
    await remove.getByPlaceholder('id').fill('9007199254740993');
    t.equal((await execute(remove)).status, '204');

    for (const shell of ['cURL (bash)', 'cURL (PowerShell)', 'cURL (CMD)'])
      for (const operation of [create, remove])
        t.match(await snippetIn(operation, shell), '9007199254740993', `${shell}: each digit of the id`);

    const folder = t.testdir({});
    const answers: string[] = [];
    for (const operation of [create, list, remove]) {
      await writeFile(join(folder, 'command.sh'), `${await snippetIn(operation, 'cURL (bash)')}\n`);
      const { stdout } = await run('sh', ['command.sh'], { cwd: folder });
      answers.push(stdout);
    }
    const [created = '', listed = '', deleted = ''] = answers;
    t.match(created, String.raw`"A \"rose\" #{1} $x @y 'n' \\ Ä 🌹"`);
    t.match(listed, '[{"name":"A ');
    t.match(listed, /\n$/, 'and the prompt is on a line of its own');
    t.notMatch(deleted, 'error');
    t.equal((await service.call('GET', '/plants')).text, '[]');
  },
);
