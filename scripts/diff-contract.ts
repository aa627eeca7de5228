/**
 * `npm run diff:contract -- --base REF`: lists the changes of openapi/plants.yaml since a git ref, and says
 * which of them break consumers. docs/breaking-changes.md defines "breaking".
 */
import { diffContract } from '../packages/contract-tools/src/diff/diff-command.js';
import { npmRun } from '../packages/service-tools/src/npm/caller.js';

process.exitCode = await diffContract(process.argv.slice(2), npmRun('diff:contract'));
