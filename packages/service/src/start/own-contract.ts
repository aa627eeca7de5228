import generated from '../../../../generated/plants.json' with { type: 'json' };
import type { Contract } from '../contract/contract.js';
import { type GeneratedDocument, readGenerated } from '../contract/generated.js';
import { contractFile } from '../project.js';

/**
 * Reads the document of the plant store, which codegen has written into generated/.
 *
 * @throws {ContractError} if the YAML has changed since `npm run codegen`
 * @throws {Error} of Node.js, if the YAML cannot be read
 */
export function readOwnContract(): Promise<Contract> {
  // Codegen has written the file in this form. TypeScript reads its texts as any text, such as "type" of a
  // schema.
  return readGenerated(contractFile, generated as object as GeneratedDocument);
}
