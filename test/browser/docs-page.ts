import type { Locator, Page } from 'playwright-core';

/** Actions of a person on the docs page. */

const operation = (page: Page, id: string): Locator => page.locator(`[id$="-${id}"]`);

/** Opens an operation by a click. */
export async function open(page: Page, id: string): Promise<Locator> {
  const block = operation(page, id);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Execute' }).waitFor();
  return block;
}

/** Sends the request of an open operation; returns the status and the body that the page shows. */
export async function execute(block: Locator): Promise<{ status: string; body: string }> {
  const response = block.page().waitForResponse((one) => new URL(one.url()).pathname.includes('/plants'));
  await block.getByRole('button', { name: 'Execute' }).click();
  const { status } = { status: String((await response).status()) };
  const live = block.locator('.live-responses-table .response');
  await live.locator('.response-col_status', { hasText: status }).waitFor();
  const code = live.locator('.response-col_description .highlight-code').first();
  const body = (await code.count()) === 0 ? '' : await code.innerText();
  return { status, body };
}

export async function openDialog(page: Page): Promise<Locator> {
  await page.locator('.auth-wrapper .authorize').first().click();
  return page.getByRole('dialog');
}

export async function authorize(page: Page, token: string): Promise<void> {
  const dialog = await openDialog(page);
  await dialog.getByRole('textbox').fill(token);
  await dialog.getByRole('button', { name: 'Authorize' }).click();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
}

/** The command for the last request of an operation, for one of the shells of the page. */
export async function snippetIn(block: Locator, shell: string): Promise<string> {
  const snippets = block.locator('.request-snippets');
  await snippets.getByRole('button', { name: shell, exact: true }).click();
  const code = snippets.locator('.curl.microlight');
  await code.waitFor();
  return (await code.innerText()).replaceAll('\u00a0', ' ');
}
