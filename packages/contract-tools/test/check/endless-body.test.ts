import { createServer } from 'node:http';
import t from 'tap';
import { Connection } from '../../src/base/http/connection.js';
import { serveIn } from '../../src/base/serve.js';

/** A quarter of what the check keeps of one answer. */
const chunk = Buffer.alloc(16 * 1024 * 1024);

t.test('a body in chunks is refused when it is longer than what is kept of an answer', async (t) => {
  for (const [chunks, isTaken] of [
    [4, true],
    [5, false],
  ] as const) {
    const server = createServer((_, response) => {
      let sent = 0;
      const send = (): void => {
        if (response.destroyed) return;
        if (sent++ < chunks) response.write(chunk, send);
        else response.end();
      };
      send();
    });
    const url = new URL(await serveIn(t, server));
    const connection = await Connection.open(url, 60_000);
    const answer = connection.exchange({ method: 'GET', target: '/', headers: [] }, url);
    if (isTaken) t.equal((await answer).body.length, chunks * chunk.length);
    else await t.rejects(answer, { message: /a body of more than 67108864 bytes/ });
    connection.close();
  }
});
