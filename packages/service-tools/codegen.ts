/** Writes what follows from a contract: the types, and the document for the start. It loads TypeScript. */
export { codegen } from './src/codegen/codegen-command.js';
export { documentOf } from './src/codegen/contract-document.js';
export { typesOf } from './src/codegen/contract-types.js';
export { generate } from './src/codegen/generated.js';
