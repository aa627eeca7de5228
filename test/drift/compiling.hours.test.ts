import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { projectFolder } from '../../packages/kit/index.js';
import { makeFolder } from '../../packages/kit/testing.js';
import { generate } from '../../packages/service-tools/codegen.js';
import { checkContract, failurePolicy, readContract } from '../../packages/service-tools/index.js';
import { driftsSeen } from './cases.js';
import { compile, drifted } from './run.js';

t.setTimeout(600_000);

t.test('a drift between the YAML and the code is a compile error once the types are generated', async (t) => {
  const folder = await makeFolder(t);
  const drifts = driftsSeen('compiling');
  const copies = drifts.map((_, index) => join(folder, `drift-${index}`));
  for (const [index, drift] of drifts.entries()) {
    const copy = copies[index] ?? '';
    await drifted(copy, drift);
    // Does what `npm run codegen` does, without a process for each copy.
    const contract = await readContract(join(copy, 'openapi', 'plants.yaml'));
    checkContract(contract, failurePolicy);
    await generate(contract, join(copy, 'generated'));
  }
  // One program compiles all copies, with the options of the project.
  const configuration = join(folder, 'tsconfig.json');
  await writeFile(
    configuration,
    JSON.stringify({
      extends: join(projectFolder, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(projectFolder, 'node_modules', '@types')] },
      include: copies.map((copy) => join(copy, 'src')),
    }),
  );
  const { output } = await compile(folder, configuration);
  for (const [index, drift] of drifts.entries()) {
    const own = output
      .split(/\n(?=\S)/)
      .filter((message) => message.startsWith(`drift-${index}/`))
      .join('\n');
    t.match(own, drift.said, drift.what);
  }
});
