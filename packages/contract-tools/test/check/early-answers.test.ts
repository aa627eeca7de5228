import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { Connection } from '../../src/base/http/connection.js';
import { check } from '../../src/check/check.js';
import { readDocument } from '../../src/document/read-document.js';

/** Servers that answer before they have read the request, and close the connection. */

// Each run takes a second on an idle machine.
t.setTimeout(600_000);

const yaml = `openapi: 3.0.3
info: { title: Jobs, version: 1.0.0 }
paths:
  /jobs:
    post:
      operationId: createJob
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [name], properties: { name: { type: string, maxLength: 200 } } } } } }
      responses:
        '201': { description: Made., content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer, format: int32 } } } } } }
        '400': { description: Refused. }
  /jobs/{id}:
    get:
      operationId: getJob
      parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32 } }]
      responses:
        '200': { description: One., content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer } } } } } }
        '404': { description: None. }
`;

/**
 * Starts a server in a thread of its own, so that it can answer while the client writes.
 *
 * @param behave JavaScript that gets the socket, the number of its request, and the method
 */
async function start(t: Test, behave: string): Promise<URL> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    let requests = 0;
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        const method = bytes.toString().split(' ')[0];
        requests++;
        ${behave}
      });
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  t.teardown(() => worker.terminate());
  const [port] = await once(worker, 'message');
  return new URL(`http://127.0.0.1:${port}/`);
}

const notFound = `socket.write('HTTP/1.1 404 Not Found\\r\\nContent-Length: 0\\r\\n\\r\\n'); socket.destroySoon();`;

async function checked(url: URL) {
  const document = readDocument(yaml, 'jobs.yaml');
  const rules = { on: new Set<string>(), file: undefined };
  return check({ document, rules, url, seed: 1, cases: 50 });
}

t.test('an answer that comes before the end of a body in chunks is read', async (t) => {
  const url = await start(t, notFound);
  const body = Buffer.from('{"name":"a name of some length"}');
  for (let requests = 0; requests < 20; requests++) {
    const connection = await Connection.open(url);
    const request = { method: 'POST', target: '/jobs', headers: [], body, chunks: [...body.keys()] };
    const answer = await connection.exchange(request, url).catch(String);
    t.match(answer, { status: 404 });
    connection.close();
  }
});

t.test('check:contract says that an address is wrong if everything there is answered alike', async (t) => {
  const url = await start(t, notFound);
  await t.rejects(checked(url), {
    name: 'CannotCheckError',
    message: /every valid request was answered 404, which createJob does not document.* correct --url/,
  });
});

t.test('check:contract goes on if only some operations fail', async (t) => {
  const url = await start(
    t,
    `const status = method === 'GET' ? '404 Not Found' : '500 Failure';
    socket.end('HTTP/1.1 ' + status + '\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n');`,
  );
  const { findings } = await checked(url);
  t.match(findings, [{ operation: 'createJob', rule: 'status 500 is not documented' }]);
});

t.test(
  'check:contract finds a server that drops requests, also on connections that it uses again',
  async (t) => {
    const url = await start(
      t,
      `const answer = () => {
      if (requests % 20 === 0) return socket.destroy();
      const text = method === 'POST' ? '{"id":1}' : '';
      socket.write('HTTP/1.1 ' + (text ? '201 Made' : '404 None') + '\\r\\nContent-Type: application/json\\r\\nContent-Length: ' + text.length + '\\r\\n\\r\\n' + text);
    };
    answer();
    socket.on('data', (bytes) => { requests++; answer(); });`,
    );
    const { findings } = await checked(url);
    t.match(findings.map(({ rule }) => rule).join('\n'), /^no answer$/m);
  },
);
