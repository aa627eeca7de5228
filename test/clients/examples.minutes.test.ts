import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { serveIn } from '../../scripts/contract/kit/serve.js';
import { call } from '../../scripts/contract/test/support/call.js';
import { missing } from '../../scripts/contract/test/support/missing.js';
import { projectFolder } from '../../src/project.js';
import { startService } from '../support/service/service.js';

/** Runs each program of examples/ against the service, with the first answer to a create lost. */

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

  t.test(`the ${language} example works although a reply is lost`, { skip }, async (t) => {
    const token = await tokens.issue(language);
    const proxy = await losingProxy(t, address);
    const { stdout } = await run(command, [...parameters], {
      cwd: join(projectFolder, 'examples'),
      env: { ...process.env, PLANTS_URL: proxy.address, PLANTS_TOKEN: token },
    });
    t.match(stdout, /Monstera deliciosa.*climber/);
    t.equal(proxy.creates(), 2, 'the create was sent again');
    t.equal((await call(address, 'GET', '/plants', { token })).text, '[]');
  });

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

/** Passes requests on, and cuts the connection instead of sending the first answer to a POST. */
async function losingProxy(t: Test, target: string): Promise<{ address: string; creates: () => number }> {
  let creates = 0;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const { method = 'GET', url = '/', headers } = request;
    const answer = await fetch(target + url, {
      method,
      headers: {
        authorization: headers.authorization ?? '',
        ...(body.length > 0 && { 'content-type': headers['content-type'] ?? '' }),
      },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (method === 'POST' && ++creates === 1) request.socket.destroy();
    else response.writeHead(answer.status, { 'content-type': 'application/json' }).end(bytes);
  });
  const address = await serveIn(t, server);
  return { address, creates: () => creates };
}
