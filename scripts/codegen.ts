/**
 * `npm run codegen`: openapi/plants.yaml → generated/plants.ts.
 * `npm run codegen -- --check` writes nothing, and exits 1 if the file is stale.
 */
import { codegen } from './contract/codegen/command.js';

process.exitCode = await codegen(process.argv.slice(2));
