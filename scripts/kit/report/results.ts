/** What a tool found out, in the form from which every reporter writes its own. */
export interface Results {
  /** As it is called in a report, such as `check:contract`. */
  readonly tool: string;
  readonly items: readonly Item[];
  /** Facts that are not faults. */
  readonly remarks: readonly string[];
  /** The last line: the verdict, and what it rests on. */
  readonly conclusion: string;
  /** For people at a terminal. */
  readonly text: () => string;
  /** What a program can read, as each tool has it. */
  readonly json: () => object;
}

/** One thing that was tried, or found. */
export interface Item {
  /** The operation, or what else of the document it belongs to. */
  readonly operation: string;
  /** Its name among the items of the operation. */
  readonly title: string;
  /** `openapi/plants.yaml:12:3`. A thing that was removed has its place in the old document: `main:openapi/…`. */
  readonly place: string;
  readonly seconds: number;
  readonly verdict: 'passed' | 'noted' | 'failed';
  /** What was found; a passed item has none. */
  readonly message: string;
  /** Lines that show it. */
  readonly details: readonly string[];
  /** The heading under which Markdown lists it. A passed item is not listed. */
  readonly heading: string;
}

export interface FilePlace {
  readonly file: string;
  readonly line: string;
  readonly column: string;
}

/** @returns undefined if no line of a file of today shows it */
export function filePlace(place: string): FilePlace | undefined {
  const [, file, line, column] = /^([^:]+):(\d+):(\d+)$/.exec(place) ?? [];
  return file === undefined || line === undefined || column === undefined
    ? undefined
    : { file, line, column };
}
