import { readFile } from 'node:fs/promises';
import { readContractText } from '../../scripts/codegen/read-contract.js';
import { asOpenApi32 } from '../../scripts/contract/test/support/openapi-versions.js';
import { gardensFile } from '../../scripts/faults/broken-server.js';
import { findGardenFaults } from './find-faults.js';

/** That the same faults are found if the contract of the gardens is written in OpenAPI 3.2. */

const text = asOpenApi32(await readFile(gardensFile, 'utf8'));
await findGardenFaults(await readContractText(text, gardensFile));
