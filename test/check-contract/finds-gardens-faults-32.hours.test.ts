import { readFile } from 'node:fs/promises';
import { asOpenApi32 } from '../../packages/contract-tools/test/support/openapi-versions.js';
import { readContractText } from '../../packages/service-tools/index.js';
import { gardensFile } from '../faults/broken-server.js';
import { findGardenFaults } from './find-faults.js';

/** That the same faults are found if the contract of the gardens is written in OpenAPI 3.2. */

const text = asOpenApi32(await readFile(gardensFile, 'utf8'));
await findGardenFaults(await readContractText(text, gardensFile));
