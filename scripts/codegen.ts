/**
 * `npm run codegen`: openapi/plants.yaml → generated/plants.ts, the types, and generated/plants.json, the
 * document for the start; and the same in examples/gardens. `npm run codegen -- --check` writes nothing, and
 * exits 1 if one of the files is stale.
 */
import { join } from 'node:path';
import { contractFile, projectFolder } from '../packages/kit/index.js';
import { codegen } from '../packages/service-tools/codegen.js';

const gardens = join(projectFolder, 'examples', 'gardens');

process.exitCode = await codegen(process.argv.slice(2), [
  { contract: contractFile, generated: join(projectFolder, 'generated') },
  { contract: join(gardens, 'openapi', 'gardens.yaml'), generated: join(gardens, 'generated') },
]);
