import generated from '../../generated/plants.json' with { type: 'json' };
import type { Contract } from '../contract/document/document.js';
import { type GeneratedDocument, readGenerated } from '../contract/start/generated.js';
import { contractFile } from '../project.js';

/** @throws {ContractError} if the YAML has changed since `npm run codegen` */
export function readOwnContract(): Promise<Contract> {
  // Codegen has written the file in this form. TypeScript reads its texts as any text, such as "type" of a
  // schema.
  return readGenerated(contractFile, generated as object as GeneratedDocument);
}
