import type { Members } from './columns.js';

/** @returns the objects, and the number of their members; a value equal to `absent` is not one */
export type AssembleRows = (
  values: readonly (readonly unknown[])[],
  length: number,
  absent: string,
) => readonly [objects: Members[], present: number];

/**
 * Compiles a function, as Ajv does: V8 is much faster if the names of members are in the code
 * (docs/ablation.md).
 */
export function compileRowAssembly(names: readonly string[]): AssembleRows {
  const members = names.map(
    (name, at) => `
      if (values[${at}][row] !== absent) {
        object[${JSON.stringify(name)}] = values[${at}][row];
        present++;
      }`,
  );
  const body = `
    const objects = [];
    let present = 0;
    for (let row = 0; row < length; row++) {
      const object = {};
      ${members.join('')}
      objects.push(object);
    }
    return [objects, present];`;
  // The text above has this signature.
  return new Function('values', 'length', 'absent', body) as AssembleRows;
}
