import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';

t.test('the Docker image starts the program of the npm package', async (t) => {
  const [dockerfile = '', manifest = ''] = await Promise.all(
    ['Dockerfile', 'package.json'].map((name) => readFile(join(projectFolder, name), 'utf8')),
  );
  const { bin }: { bin: Record<string, string> } = JSON.parse(manifest);
  const [, workFolder = ''] = /^WORKDIR (.+)$/m.exec(dockerfile) ?? [];
  const links = Array.from(dockerfile.matchAll(/\bln -s (\S+) \/usr\/local\/bin\/(\S+)$/gm));
  t.strictSame(
    links.map(([, target, name]) => [name, target]),
    Object.entries(bin).map(([name, file]) => [name, join(workFolder, file)]),
  );
  const [, entryPoint = ''] = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile) ?? [];
  t.strictSame(JSON.parse(entryPoint), Object.keys(bin));
});
