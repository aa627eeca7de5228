import type { Members } from './columns.js';

/**
 * Makes objects of columns.
 *
 * @param values the values of each column; null if an object lacks the member
 */
export type AssembleRows = (values: readonly (readonly unknown[])[], length: number) => Members[];

/**
 * Compiles a function, as Ajv does: V8 is much faster if the names of members are in the code
 * (docs/ablation.md).
 */
export function compileRowAssembly(names: readonly string[]): AssembleRows {
  const members = names.map(
    (name, at) => `
      if (values[${at}][row] !== null) object[${JSON.stringify(name)}] = values[${at}][row];`,
  );
  const body = `
    const objects = [];
    for (let row = 0; row < length; row++) {
      const object = {};
      ${members.join('')}
      objects.push(object);
    }
    return objects;`;
  // The text above has this signature.
  return new Function('values', 'length', body) as AssembleRows;
}
