import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../src/project.js';

t.test('the Docker image starts the service with the command of "npm start"', async (t) => {
  const [dockerfile = '', manifest = ''] = await Promise.all(
    ['Dockerfile', 'package.json'].map((name) => readFile(join(projectFolder, name), 'utf8')),
  );
  const [, command = ''] = /^CMD (\[.*\])$/m.exec(dockerfile) ?? [];
  const { scripts }: { scripts: { start: string } } = JSON.parse(manifest);
  t.equal(JSON.parse(command).join(' '), scripts.start.replace(/^.*\bexec /, ''));
});
