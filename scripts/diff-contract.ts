/**
 * `npm run diff:contract -- --base REF`: lists the changes of openapi/plants.yaml since a git ref, and says
 * which of them break consumers. docs/breaking-changes.md defines "breaking".
 */
import { diffContract } from '../packages/contract-tools/diff.js';
import { npmRun } from '../packages/service-tools/index.js';

process.exitCode = await diffContract(process.argv.slice(2), npmRun('diff:contract'));
