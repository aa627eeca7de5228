import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { serveIn } from '../../packages/contract-tools/base.js';
import { projectFolder } from '../../packages/kit/index.js';
import { call, missing } from '../../packages/kit/testing.js';
import { startService } from '../../packages/service/test/support/service.js';

/** Runs each program of examples/ against the service, over a proxy that loses and refuses answers. */

const run = promisify(execFile);
t.setTimeout(600_000);
const { address, tokens } = await startService(t);

const programs = [
  { language: 'TypeScript', command: process.execPath, parameters: ['--import', 'tsx', 'plants.ts'] },
  { language: 'curl', command: 'sh', parameters: ['plants.sh'], needs: 'curl' },
  { language: 'Python', command: 'python3', parameters: ['plants.py'], needs: 'python3' },
  { language: 'Go', command: 'go', parameters: ['run', 'plants.go'], needs: 'go' },
] as const;

for (const { language, command, parameters, ...rest } of programs) {
  const skip = 'needs' in rest && missing(rest.needs);

  t.test(
    `the ${language} example repeats what is lost or refused, after the time that it is told`,
    { skip },
    async (t) => {
      const token = await tokens.issue(language);
      const proxy = await awkwardProxy(t, address);
      const { stdout } = await run(command, [...parameters], {
        cwd: join(projectFolder, 'examples'),
        env: { ...process.env, PLANTS_URL: proxy.address, PLANTS_TOKEN: token },
      });
      t.match(stdout, /Monstera deliciosa.*climber/);
      t.strictSame(proxy.requests, {
        POST: ['lost', 'refused', 'answered'],
        GET: ['refused', 'answered'],
        DELETE: ['lost', 'refused', 'answered'],
      });
      t.equal((await call(address, 'GET', '/plants', { token })).text, '[]');
    },
  );

  t.test(`the ${language} example prints why its token is refused`, { skip }, async (t) => {
    await t.rejects(
      run(command, [...parameters], {
        cwd: join(projectFolder, 'examples'),
        env: { ...process.env, PLANTS_URL: address, PLANTS_TOKEN: 'plant_x' },
      }),
      { message: /The access token is malformed, unknown, expired or revoked|401/ },
    );
  });
}

/** What becomes of the first requests of each method. Those behind them are answered. */
const fates: Readonly<Record<string, readonly string[]>> = {
  POST: ['lost', 'refused'],
  GET: ['refused'],
  DELETE: ['lost', 'refused'],
};

/**
 * Passes requests on, except for those that it refuses with a 429. It notes what became of each request: if a
 * program comes again before the time that it was told, that is 'early'.
 */
async function awkwardProxy(t: Test, target: string) {
  const requests: Record<string, string[]> = {};
  let mustWait = false;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = 'GET', url = '/', headers } = request;
    requests[method] ??= [];
    const fate = mustWait ? 'early' : (fates[method]?.[requests[method].length] ?? 'answered');
    requests[method].push(fate);
    if (fate === 'early' || fate === 'refused') {
      mustWait = true;
      // A program that has waited for the whole second comes later than this timer, however slow the machine is.
      setTimeout(() => {
        mustWait = false;
      }, 900);
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end('{"error":429,"message":"The limit is 1 request a second: try again later."}');
      return;
    }
    const answer = await fetch(target + url, {
      method,
      headers: {
        authorization: headers.authorization ?? '',
        ...(body.length > 0 && { 'content-type': headers['content-type'] ?? '' }),
      },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (fate === 'lost') request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(bytes);
  });
  return { address: await serveIn(t, server), requests };
}
