import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { projectFolder } from '../src/project.js';
import { launchBrowser, withoutBrowser } from './support/browser.js';
import { startService } from './support/service.js';

/** The docs page in a real browser. */

t.setTimeout(120_000);
const artefacts = join(projectFolder, 'artefacts');
await mkdir(artefacts, { recursive: true });
const axe = await readFile(join(projectFolder, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
const skip = withoutBrowser;
const service = await startService(t);
const browser = skip ? undefined : await launchBrowser(t);

interface Visit {
  readonly page: Page;
  /** Console messages, failures of the page, and requests to other hosts: there should be none. */
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

const operation = (page: Page, id: string): Locator => page.locator(`[id$="-${id}"]`);

/** Opens an operation, as one clicks on it. */
async function open(page: Page, id: string): Promise<Locator> {
  const block = operation(page, id);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Execute' }).waitFor();
  return block;
}

/** Sends the request of an open operation; returns the status and the body that the page shows. */
async function execute(block: Locator): Promise<{ status: string; body: string }> {
  const response = block.page().waitForResponse((one) => new URL(one.url()).pathname.startsWith('/plants'));
  await block.getByRole('button', { name: 'Execute' }).click();
  const { status } = { status: String((await response).status()) };
  const live = block.locator('.live-responses-table .response');
  await live.locator('.response-col_status', { hasText: status }).waitFor();
  const code = live.locator('.response-col_description .highlight-code').first();
  const body = (await code.count()) === 0 ? '' : await code.innerText();
  return { status, body };
}

async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click();
  await page.locator('.dialog-ux input').fill(token);
  await page.locator('.dialog-ux').getByRole('button', { name: 'Apply credentials' }).click();
  await page.locator('.dialog-ux .close-modal').click();
}

t.test(
  'a person tries the API: 401 without a token, then create, list, delete, and a 400',
  { skip },
  async (t) => {
    const { page, complaints } = await visit(t);
    const create = await open(page, 'createPlant');
    const list = await open(page, 'listPlants');
    const remove = await open(page, 'deletePlant');

    const refused = await execute(list);
    t.equal(refused.status, '401');
    t.match(refused.body, '"error": 401');
    // Chromium reports each answer of 400 and above by itself, whatever the page does with it.
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
    await page.screenshot({ path: join(artefacts, 'docs-tried.png'), fullPage: true });

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
  t.test(`${name}: readable, without a complaint of the browser or of axe`, { skip }, async (t) => {
    const { page, complaints, requests } = await visit(t, options);
    await page.screenshot({ path: join(artefacts, `docs-${name}.png`) });
    await open(page, 'createPlant');
    await open(page, 'deletePlant');
    await page.screenshot({ path: join(artefacts, `docs-${name}-open.png`), fullPage: true });
    // A telephone widens its window with what overflows: the window that was asked for is the measure.
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    t.ok(width <= (page.viewportSize()?.width ?? 0), `${width} pixels wide: nothing to scroll to the right`);
    t.equal((await findings(page)).join('\n'), '');
    t.strictSame(complaints, []);
    t.equal(new Set(requests).size, 7, 'start page, page, two styles, two scripts, document');
  });
}

/** What axe-core finds of serious or critical impact, one line each. */
async function findings(page: Page): Promise<string[]> {
  // By the debugger, which the page's Content-Security-Policy does not bind.
  await page.evaluate(axe);
  const results: Results = await page.evaluate('axe.run()');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, target }) => `${id}: ${target.join(' ')}: ${html}`));
}

interface Results {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string; readonly target: readonly string[] }[];
  }[];
}
