import { type Column, fromText, type Members } from './columns.js';

/** @returns the objects, and the number of their members; a value equal to `absent` is not one */
export type AssembleRows = (
  values: readonly (readonly unknown[])[],
  length: number,
  absent: string | undefined,
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

/** A row as PostgreSQL writes it if its columns are cast to text. NULL is null. */
export type TextRow = readonly (string | null)[];

/** @returns a function that makes an object of each row, whose values are in the order of `columns` */
export function textRowReader(columns: readonly Column[]): (rows: readonly TextRow[]) => Members[] {
  const assemble = compileRowAssembly(columns.map(({ name }) => name));
  return (rows) => {
    const values = columns.map((column, at) =>
      rows.map((row) => {
        const text = row[at] ?? null;
        // A value of jsonb can be null, but none is undefined.
        return text === null ? undefined : fromText(column, text);
      }),
    );
    const [objects] = assemble(values, rows.length, undefined);
    return objects;
  };
}
