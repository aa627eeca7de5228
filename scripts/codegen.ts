/**
 * `npm run codegen`: openapi/plants.yaml → generated/plants.ts, the types, and generated/plants.json, the
 * document for the start; and the same in examples/gardens. `npm run codegen -- --check` writes nothing, and
 * exits 1 if one of the files is stale.
 */
import { codegen } from '../packages/service-tools/codegen.js';

process.exitCode = await codegen(process.argv.slice(2));
