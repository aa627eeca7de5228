/**
 * Makes objects of the values of rows.
 *
 * A list has thousands of items, and V8 makes objects much faster if the names of their members are in the
 * code, instead of in variables (docs/ablation.md). So a function is compiled for the columns of each table,
 * as Ajv does it for schemas. The names come from the contract, and are quoted by JSON.stringify.
 */
import { type Column, fromText, type Members } from './columns.js';

/**
 * Makes the objects of rows.
 *
 * @param values a list for each column, with a value for each row
 * @param length how many rows there are
 * @param absent the value that stands for an absent member
 * @returns the objects, and the number of members that all of them have together
 */
export type AssembleRows = (
  values: readonly (readonly unknown[])[],
  length: number,
  absent: string | undefined,
) => readonly [objects: Members[], present: number];

/** @param names those of the members, in the order of the columns */
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

/** @returns a function that makes an object of each row, whose texts are in the order of `columns` */
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
