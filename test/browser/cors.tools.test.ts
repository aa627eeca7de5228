import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { buildMock } from '../../packages/contract-mock/index.js';
import { serveIn } from '../../packages/contract-tools/base.js';
import { contractFile } from '../../packages/kit/index.js';
import { makeLog, makeToken } from '../../packages/service/layer.js';
import { listenIn } from '../../packages/service/test/support/listen-in.js';
import { newPlantText, parsedPlant } from '../../packages/service/test/support/plants.js';
import { startService } from '../../packages/service/test/support/service.js';
import { readContract } from '../../packages/service-tools/index.js';
import { launchBrowser, withoutBrowser } from './chromium.js';

/** Pages on other origins call the service in a real browser. packages/service/test/http/cors.test.ts has the headers. */

t.setTimeout(120_000);

/** The URL of an empty page on an origin of its own. */
async function servePage(t: Pick<Test, 'teardown'>): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A shop</title>');
  });
  const address = await serveIn(t, server);
  return address;
}

/** What the script in the page saw of each answer. */
interface Told {
  readonly refused: { readonly status: number; readonly challenge: string | null };
  readonly created: number;
  readonly listed: readonly { readonly name: string }[];
  readonly deleted: number;
}

/** The script that runs in the browser: creates, lists and deletes. */
const script = (address: string, token: string) => `(async () => {
  const call = (method, path, body) => fetch(${JSON.stringify(address)} + path, {
    method,
    headers: { Authorization: 'Bearer ${token}', ...(body && { 'Content-Type': 'application/json' }) },
    body,
  });
  const refused = await fetch(${JSON.stringify(address)} + '/plants');
  const created = await call('POST', '/plants', '${newPlantText('{"id":9007199254740993,"name":"Monstera"}')}');
  const listed = await call('GET', '/plants?limit=20');
  const deleted = await call('DELETE', '/plants/9007199254740993');
  return {
    refused: { status: refused.status, challenge: refused.headers.get('WWW-Authenticate') },
    created: created.status,
    listed: await listed.json(),
    deleted: deleted.status,
  };
})()`;

t.test('CORS in a real browser', { skip: withoutBrowser }, async (t) => {
  const page = await servePage(t);
  const corsOrigins = new Set([page]);
  const browser = await launchBrowser(t);
  const openPage = async (): Promise<Page> => {
    const opened = await browser.newPage();
    await opened.goto(page);
    return opened;
  };

  t.test('a page of an allowed origin creates, lists and deletes in a browser', async (t) => {
    const { address, token } = await startService(t, { corsOrigins });
    const told: Told = await (await openPage()).evaluate(script(address, token));
    t.strictSame(told, {
      refused: { status: 401, challenge: 'Bearer realm="Plant Store"' },
      created: 200,
      listed: [parsedPlant({ name: 'Monstera' })],
      deleted: 204,
    });
  });

  t.test('a page of an allowed origin creates, lists and deletes with the mock', async (t) => {
    const contract = await readContract(contractFile);
    const mock = await buildMock({ contract, log: makeLog('silent'), corsOrigins });
    const address = await listenIn(t, mock);
    const told: Told = await (await openPage()).evaluate(script(address, makeToken()));
    t.match(told, { refused: { status: 401 }, created: 200, deleted: 204 });
  });

  t.test('a page of an origin that CORS_ORIGINS does not name cannot call the service', async (t) => {
    const { address, token, call } = await startService(t, {
      corsOrigins: new Set(['https://stranger.example']),
    });
    await t.rejects((await openPage()).evaluate(script(address, token)), { message: /Failed to fetch/ });
    t.equal((await call('GET', '/plants')).text, '[]');
  });

  t.test('a page of another origin cannot call the service by default', async (t) => {
    const { address, token } = await startService(t);
    await t.rejects((await openPage()).evaluate(script(address, token)), { message: /Failed to fetch/ });
  });
});
