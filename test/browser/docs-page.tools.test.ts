import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { startService } from '../../packages/service/test/support/service.js';
import { launchBrowser, packages, withoutBrowser } from './chromium.js';
import { authorize, execute, open, openDialog, snippetIn } from './docs-page.js';

/** The docs page in a real browser. */

t.setTimeout(600_000);
const shells = ['cURL (bash)', 'cURL (PowerShell)', 'cURL (CMD)'];
const axeFile = join(packages, 'axe-core', 'axe.min.js');
const skip = withoutBrowser;
const service = await startService(t);
const browser = skip ? undefined : await launchBrowser(t);

interface Visit {
  readonly page: Page;
  /** Console messages, page errors and requests to other hosts: none is expected. */
  readonly complaints: string[];
  readonly requests: string[];
}

async function visit(t: Test, options: BrowserContextOptions = {}): Promise<Visit> {
  if (browser === undefined) throw new Error('This test should have been skipped.');
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  t.teardown(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(`console: ${message.text()} ${message.location().url}`));
  page.on('pageerror', (error) => complaints.push(`page: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (url.startsWith('data:')) return;
    requests.push(url);
    if (new URL(url).origin !== service.address) complaints.push(`request: ${url}`);
  });
  await page.goto(service.address);
  t.equal(page.url(), `${service.address}/docs`, 'the start page leads here');
  await page.getByText('Create a plant', { exact: true }).waitFor();
  return { page, complaints, requests };
}

t.test(
  'the docs page sends requests: 401 without a token, then create, list and delete, and a 400',
  { skip },
  async (t) => {
    const { page, complaints } = await visit(t);
    const create = await open(page, 'createPlant');
    const list = await open(page, 'listPlants');
    const remove = await open(page, 'deletePlant');

    const refused = await execute(list);
    t.equal(refused.status, '401');
    t.match(refused.body, '"error": 401');
    // Chromium logs every answer of 400 and above by itself.
    t.match(complaints.splice(0), [/^console: Failed to load resource: .*401/]);

    await authorize(page, service.token);
    const plant = '{ "id": 9007199254740993, "name": "Monstera deliciosa", "tag": "climber" }';
    await create.locator('textarea').fill(plant);
    const created = await execute(create);
    t.equal(created.status, '200');
    t.match(created.body, '"name": "Monstera deliciosa"');

    await list.getByPlaceholder('limit').fill('1');
    const listed = await execute(list);
    t.equal(listed.status, '200');
    t.match(listed.body, '"tag": "climber"');

    await remove.getByPlaceholder('id').fill('9007199254740993');
    t.equal((await execute(remove)).status, '204', 'the id went through the page to the last digit');
    t.equal((await service.call('GET', '/plants')).text, '[]');
    t.strictSame(complaints, [], 'no message, and nothing from elsewhere');

    await create.locator('textarea').fill('{ "id": "seven" }');
    const bad = await execute(create);
    t.equal(bad.status, '400');
    t.match(bad.body, /"error": 400/);
    t.match(complaints.splice(0), [/^console: Failed to load resource: .*400/]);
  },
);

for (const [name, options] of [
  ['desktop', {}],
  ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }],
  ['dark', { colorScheme: 'dark' }],
] as const) {
  t.test(
    `docs page, ${name}: readable in every state, without console messages or axe violations`,
    { skip },
    async (t) => {
      const { page, complaints, requests } = await visit(t, options);
      const look = async (state: string) => {
        t.equal((await findings(page)).join('\n'), '', state);
      };
      await look('opened');
      t.strictSame(complaints, []);
      t.equal(new Set(requests).size, 8, 'start page, page, two styles, three scripts, document');

      const create = await open(page, 'createPlant');
      const remove = await open(page, 'deletePlant');
      await look('open');
      // A mobile browser widens its viewport if content overflows, so compare with the requested width.
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      t.ok(
        width <= (page.viewportSize()?.width ?? 0),
        `${width} pixels wide: nothing to scroll to the right`,
      );

      await remove.getByPlaceholder('id').fill('');
      await remove.getByRole('button', { name: 'Execute' }).click();
      await remove.locator('.invalid').waitFor();
      await look('invalid');

      t.equal((await execute(create)).status, '401');
      await look('refused');

      const dialog = await openDialog(page);
      await look('dialog');
      await dialog.getByRole('textbox').fill(service.token);
      await dialog.getByRole('button', { name: 'Authorize' }).click();
      await dialog.getByRole('button', { name: 'Logout' }).waitFor();
      await look('authorized');
      await dialog.getByRole('button', { name: 'Close' }).first().click();

      t.equal((await execute(create)).status, '200');
      await look('answered');
      for (const shell of shells) {
        await snippetIn(create, shell);
        t.equal((await findings(page, '.request-snippets')).join('\n'), '', shell);
      }

      // The axe run comes last because it takes long.
      for (const tab of await page.getByRole('tab', { name: 'Schema' }).all()) await tab.click();
      for (const model of await page.locator('.models button[aria-expanded=false]').all())
        await model.click();
      await look('schemas');
    },
  );
}

t.test('the docs page shows the numbers of the document to the last digit', { skip }, async (t) => {
  const { page } = await visit(t);
  const remove = await open(page, 'deletePlant');
  const bounds = ['minimum: -9223372036854775808', 'maximum: 9223372036854775807'];
  for (const model of await page.locator('.models button[aria-expanded=false]').all()) await model.click();
  for (const bound of bounds) {
    await remove.getByText(bound).waitFor();
    await page.locator('.models').getByText(bound).first().waitFor();
  }
  t.notMatch(await page.locator('body').innerText(), '9223372036854776000');
  await (await open(page, 'createPlant')).getByText('At most 65536 bytes, in which').waitFor();
  for (const id of ['createPlant', 'listPlants', 'deletePlant'])
    await page.getByText(id, { exact: true }).waitFor();
  t.match(await page.locator('aside').innerText(), 'npm run --silent token -- issue OWNER');
  await remove.getByPlaceholder('id').fill('9223372036854775807');
  t.equal((await execute(remove)).status, '401', 'the largest id is no error of the page');
});

/** The violations that axe-core finds, one line each. */
async function findings(page: Page, within = 'html'): Promise<string[]> {
  // The debugger is not bound by the page's Content-Security-Policy.
  await page.evaluate(await readFile(axeFile, 'utf8'));
  // A button has too little contrast in the middle of its transition, and so has a message while it appears.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime < Infinity).map((one) => one.finished))',
  );
  const results: Results = await page.evaluate(`axe.run('${within}')`);
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, target }) => `${id}: ${target.join(' ')}: ${html}`),
  );
}

interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly target: readonly string[] }[];
  }[];
}

/** JavaScript for the page: cells whose text is broken after each letter or two. */
const columnsOfOneLetter = `[...document.querySelectorAll('td')]
  .filter((cell) => cell.innerText.length > 3 && cell.clientWidth > 0 && cell.clientWidth < 40)
  .map((cell) => cell.innerText)`;

/** JavaScript for the page: cells with a sentence, of whose words only one or two fit on a line. */
const narrowSentences = `[...document.querySelectorAll('td')]
  .filter((cell) => cell.innerText.length > 40 && cell.clientWidth > 0 && cell.clientWidth < 150)
  .map((cell) => cell.innerText)`;

/** JavaScript for the page: elements that stand out of their frame, and that nobody can scroll. */
const standingOut = `[...document.querySelectorAll('.opblock, section.models .model-container')].flatMap((frame) =>
  [...frame.querySelectorAll('*')]
    .filter((element) => element.closest('.microlight') === null)
    .filter((element) => element.getBoundingClientRect().right > frame.getBoundingClientRect().right + 1)
    .map(({ tagName, className }) => tagName + ' ' + className))`;

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(
    `a telephone of 360 px shows each operation whole, in four screens, ${colorScheme}`,
    { skip },
    async (t) => {
      const viewport = { width: 360, height: 800 };
      const { page } = await visit(t, { viewport, colorScheme });
      for (const id of ['createPlant', 'listPlants', 'deletePlant']) {
        const block = await open(page, id);
        const { height = 0 } = (await block.boundingBox()) ?? {};
        t.ok(height <= 4 * viewport.height, `${id} is ${height} px high`);
        await block.locator('.opblock-summary-control').click();
      }
      await open(page, 'createPlant');
      for (const model of await page.locator('.models button[aria-expanded=false]').all())
        await model.click();
      t.strictSame(await page.evaluate(columnsOfOneLetter), []);
      t.strictSame(await page.evaluate(narrowSentences), []);
      t.strictSame(await page.evaluate(standingOut), []);
    },
  );
}
