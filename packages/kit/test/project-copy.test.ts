import { realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { testClusterFolder } from '../src/postgres/shared-cluster.js';
import { copyProject } from '../src/project-copy.js';
import { runTypeScript } from '../src/testing/command.js';
import { makeFolder } from '../src/testing/process.js';

t.test('the tests of a copy of the project use the PostgreSQL of the run that made it', async (t) => {
  const folder = await makeFolder(t);
  await copyProject(folder);
  const program = join(folder, 'scripts', 'print-cluster.ts');
  await writeFile(
    program,
    "import { testClusterFolder } from '../packages/kit/src/postgres/shared-cluster.js';\nprocess.stdout.write(testClusterFolder);\n",
  );
  const { out, err } = await runTypeScript(program, [], { cwd: folder });
  t.equal(err, '');
  // On a disk, the copy names the same folder by its link.
  t.equal(await realpath(out), await realpath(testClusterFolder));
});
