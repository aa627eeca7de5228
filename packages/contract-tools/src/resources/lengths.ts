/** The names of members and headers that tell how many items a list has on all its pages. */

const totals = /^total(?:_?(?:count|items|results|size|elements|records))?$/i;
const counts = /^(?:count|item_?count|num_?(?:found|results|items))$/i;
export const lengthHeaders = ['X-Total-Count', 'X-Total', 'Total-Count'];

/** Whether a member of this name tells the length of a list, and never that of a page. */
export function isTotal(name: string): boolean {
  return totals.test(name);
}

/** Whether a member of this name tells the length of a list; it may mean that of a page as well. */
export function isLength(name: string): boolean {
  return totals.test(name) || counts.test(name);
}

export function isLengthHeader(name: string): boolean {
  return lengthHeaders.some((header) => header.toLowerCase() === name.toLowerCase());
}
