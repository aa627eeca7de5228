import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import t, { type Test } from 'tap';
import { portOf } from '../../packages/contract-tools/base.js';
import { makeCertificate, withoutOpenssl } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';
import { launchBrowser, withoutBrowser } from './chromium.js';
import { authorize, execute, open } from './docs-page.js';

/** The docs page behind a proxy that ends TLS and tells the service nothing: no X-Forwarded-…, no setting. */

t.setTimeout(120_000);
const skip = withoutBrowser || withoutOpenssl;
const service = await startService(t);

interface Publication {
  /** Whether the proxy passes on the Host of the browser, or sends its own. */
  readonly keepsHost: boolean;
  /** The path prefix under which the proxy publishes the service; the service does not see it. */
  readonly prefix: string;
}

async function publish(t: Test, { keepsHost, prefix }: Publication): Promise<string> {
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const { method, url = '', headers } = asked;
    if (!url.startsWith(prefix)) {
      answer.writeHead(404).end();
      return;
    }
    const onward = request({
      host: '127.0.0.1',
      port: service.port,
      method,
      path: url.slice(prefix.length) || '/',
      headers: keepsHost ? headers : { ...headers, host: `127.0.0.1:${service.port}` },
    });
    onward.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    asked.pipe(onward);
  };
  const server = createServer(await makeCertificate(t), pass);
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const port = portOf(server);
  return `https://127.0.0.1:${port}${prefix}`;
}

t.test('the docs page works behind a proxy', { skip }, async (t) => {
  const browser = await launchBrowser(t);
  for (const keepsHost of [true, false]) {
    for (const prefix of ['', '/garden']) {
      t.test(`docs by proxy: Host ${keepsHost ? 'kept' : 'replaced'}, prefix "${prefix}/"`, async (t) => {
        const address = await publish(t, { keepsHost, prefix });
        const page = await browser.newPage({ ignoreHTTPSErrors: true });
        await page.goto(`${address}/`);
        await page.getByText('Create a plant', { exact: true }).waitFor();
        t.equal(await page.locator('.server').innerText(), address, 'the address that the browser used');
        await authorize(page, service.token);
        t.equal((await execute(await open(page, 'listPlants'))).status, '200');
        await page.close();
      });
    }
  }
});
